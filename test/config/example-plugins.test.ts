import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { builtIn } from "../../src/built-in.ts";
import {
  type CompressionMethod,
  compressionMethods,
  configureCascade,
  runCascade,
} from "../../src/compression/index.ts";
import { configureRules, type HealthRule } from "../../src/health/index.ts";
import type { Registry } from "../../src/model/strategy.ts";
import { openConfig } from "../../src/open-config.ts";
import type { AlertNotice } from "../../src/telemetry/sinks/notice.ts";
import type { AlertSink } from "../../src/telemetry/sinks/sink.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const FOLDER = resolve(import.meta.dirname, "../../examples/plugins");

async function open(...settings: readonly string[]) {
  using folder = temporaryFolder();
  const modules = readdirSync(FOLDER).map((name) => JSON.stringify(join(FOLDER, name)));
  const file = folder.write("c.yaml", [`plugins: [${modules.join(", ")}]`, ...settings].join("\n"));
  return await openConfig({ file, environment: {}, flags: [] }, builtIn);
}

const block = (id: string, text: string, more = {}) => ({
  id,
  state: "whole",
  tokens: text.length,
  part: { kind: "tool_result", callId: id, isError: false, text, attachments: [], wire: text },
  ...more,
});

describe("the example plug-ins", () => {
  it("load together, and what they bring is legal where it is named", async () => {
    const { config, plugins } = await open("eviction: {policy: keep_errors, options: {half_life: 6}}");
    expect(config.eviction.policy).toBe("keep_errors");
    expect(plugins.scorers["keep_errors"]?.configure({ half_life: 6 })).toMatchObject({ name: "keep_errors" });
  });

  it("append alerts to a file, as a sink that the config names", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "alerts.log");
    const { config, plugins } = await open(
      `telemetry: {alert_sinks: {alert_file: {options: {path: ${JSON.stringify(path)}}}}}`,
    );
    const { options } = config.telemetry.alert_sinks["alert_file"] as { options: unknown };
    const sink = plugins.sinks["alert_file"]?.configure(options) as AlertSink;
    const annotations = { summary: "ContextOverflow in session s1", description: "9 of 8 tokens." };
    const notice = { status: "firing", severity: "critical", fingerprint: "f1", annotations } as AlertNotice;
    await sink.deliver([notice], new AbortController().signal);
    expect(readFileSync(path, "utf8")).toBe("firing\tcritical\tf1\tContextOverflow in session s1\t9 of 8 tokens.\n");
    await expect(open("telemetry: {alert_sinks: {another: {}}}")).rejects.toThrow(/names no sink; legal: alert_file/);
    await expect(open("telemetry: {alert_sinks: {alert_file: {options: {pth: x}}}}")).rejects.toThrow(
      /refused by the sink/,
    );
  });

  it("fold repeated lines of tool results as a step of the cascade, no more than is asked for", async () => {
    const { config, plugins } = await open(
      "compression: {cascade: {'0.5': fold_repeats}, options: {fold_repeats: {least: 2}}}",
    );
    const own = plugins.compression_methods as Registry<CompressionMethod>;
    const steps = configureCascade(config.compression, { ...compressionMethods, ...own });
    const step = steps.find(({ method }) => typeof method !== "string" && method.name === "fold_repeats");
    const waiting = `start\n${"still waiting for the lease\n".repeat(9)}end`;
    const blocks = [
      block("b1", waiting, { isKept: true }),
      block("b2", "start\nend"),
      block("b3", waiting),
      block("b4", waiting),
    ];
    const view = {
      units: [{ blocks }],
      isProtected: ({ isKept = false }: { isKept?: boolean }) => isKept,
      tokensWith: (_: object, text: string) => text.length,
    };
    const demand = { tokensToFree: 100, level: 0.6 };
    const { edits, met } = runCascade([step as never], view as never, demand);
    expect(met).toBe(true);
    expect(edits).toMatchObject([
      {
        blockIds: ["b3"],
        replacementText: "start\nstill waiting for the lease\n[× 9]\nend",
        rule: "fold_repeats.lines",
      },
    ]);
  });

  it("bring a health rule that is on, and takes the options that the config gives it", async () => {
    const { config, plugins } = await open("health_monitoring: {options: {window_wasted: {share: 0.3}}}");
    const own = plugins.health_rules as Registry<HealthRule>;
    const [rule] = configureRules(config.health_monitoring, own);
    const view = { turns: Array(10).fill({}), metrics: { utilization: 0.25 } };
    expect(rule?.judge(view as never)).toEqual({ level: "bad", summary: "The context holds 25 % of its window." });
    expect(rule?.judge({ ...view, metrics: { utilization: 0.46 } } as never)?.level).toBe("good");
  });
});
