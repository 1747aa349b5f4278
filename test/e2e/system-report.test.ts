import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { systemReport } from "../../src/rpc/methods/system-report.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SECRET = "sk-planted-0123456789abcdef";
const TOKENS = {
  agent: "agent-token-agent-token-agent-token-00",
  operator: "operator-token-operator-token-oper-000",
  other: "other-token-other-token-other-token-00",
  admin: "admin-token-admin-token-admin-token-00",
};

interface Report {
  readonly hooks: readonly { readonly method: string; readonly count: number }[];
  readonly alerts: {
    readonly firing_total: number;
    readonly firing: readonly { readonly tenant: string; readonly session_id: string; readonly deliveries: unknown }[];
  };
  readonly [part: string]: unknown;
}

function config(folder: ReturnType<typeof temporaryFolder>, level: string): string {
  const tokens = [
    { name: "agent", tenant: "acme", scopes: ["agent"], token: TOKENS.agent },
    { name: "operator", tenant: "acme", scopes: ["operator"], token: TOKENS.operator },
    { name: "other", tenant: "globex", scopes: ["agent", "operator"], token: TOKENS.other },
    { name: "admin", tenant: "acme", scopes: ["admin"], token: TOKENS.admin },
  ];
  return JSON.stringify({
    server: { auth: { tokens_file: folder.write("tokens.json", JSON.stringify(tokens)) } },
    telemetry: { log: { level }, alert_log: { enabled: true } },
    llm: {
      summarizer: { api: "openai-chat", base_url: "http://127.0.0.1:9/v1", model: "small-helper", api_key: SECRET },
    },
  });
}

/** A session whose system prompt alone is above red, so that an alert fires. */
async function overfull(client: ContextdClient, session_id: string): Promise<void> {
  const system = "The rules are many, and each of them must be kept to the letter. ".repeat(150);
  await client.mutate("session.open", { session_id, model: "gpt-4o", max_context_tokens: 2_000, system });
  for (const turn of ["one", "two", "three"]) {
    await client.mutate("on_turn_start", { session_id, messages: [{ role: "user", content: turn }] });
    const usage = { input_tokens: 2_200, output_tokens: 3 };
    await client.mutate("on_turn_end", { session_id, message: { role: "assistant", content: turn }, usage });
  }
}

describe("system.report", () => {
  it("tells an operator of the daemon, each tenant its own calls and alerts, and nobody a secret", async () => {
    using folder = temporaryFolder();
    const file = folder.write("contextd.json", config(folder, "info"));
    const args = ["--config", file];
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), args, token: TOKENS.admin });
    const as = (token: string) => new ContextdClient({ url: daemon.url, token });
    const read = (token: string) => as(token).call<Report>("system.report", {}, { readOnly: true });
    await overfull(as(TOKENS.agent), "acme-session");
    await overfull(as(TOKENS.other), "globex-session");

    await expect(read(TOKENS.agent)).rejects.toMatchObject({ reason: "unauthorized" });
    const own = await read(TOKENS.operator);
    expect(() => systemReport(() => own as never).result.parse(own)).not.toThrow();
    expect(own).toMatchObject({
      journal: { store: "sqlite", durable: true, settings: { journal_mode: "WAL", synchronous: "FULL" }, errors: 0 },
      process: { sessions_in_memory: 2, node: process.version },
      models: [
        { role: "summarizer", provider: "openai", model: "small-helper" },
        { role: "judge", breaker: null },
      ],
      estimator: [{ model: "gpt-4o", n: 3 }],
      outputs: { prometheus: { scrapes: 0, last_scrape_at: null }, grafana_live: null, otlp: null },
      config: { path: file, reload: null, in_force: { llm: { summarizer: { api_key: "<secret>" } } } },
    });
    expect(own.hooks.find(({ method }) => method === "on_turn_start")?.count).toBe(3);
    expect(own.alerts.firing.length).toBeGreaterThan(0);
    expect(new Set(own.alerts.firing.map(({ session_id }) => session_id))).toEqual(new Set(["acme-session"]));
    expect(own.alerts.firing[0]?.deliveries).toEqual([
      { sink: "log", state: expect.stringMatching(/waiting|settled/) },
    ]);
    expect(JSON.stringify(own)).not.toContain("globex");
    const all = await read(TOKENS.admin);
    expect(new Set(all.alerts.firing.map(({ tenant }) => tenant))).toEqual(new Set(["acme", "globex"]));
    for (const report of [own, all]) {
      const text = JSON.stringify(report);
      for (const secret of [SECRET, ...Object.values(TOKENS)]) expect(text).not.toContain(secret);
    }
  });

  it("tells when it was scraped, and of the last reload with its outcome", async () => {
    using folder = temporaryFolder();
    const file = folder.write("contextd.json", config(folder, "info"));
    const args = ["--config", file];
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), args, token: TOKENS.admin });
    const read = () => daemon.client.call<JsonObject>("system.report", {}, { readOnly: true });
    await fetch(`${daemon.url}/metrics`, { headers: { authorization: `Bearer ${TOKENS.admin}` } });
    expect(await read()).toMatchObject({ outputs: { prometheus: { scrapes: 1, last_scrape_at: expect.any(Number) } } });
    writeFileSync(file, config(folder, "debug"));
    daemon.signal("SIGHUP");
    await daemon.logged("telemetry.log.level");
    expect(await read()).toMatchObject({
      config: {
        reload: { successful: true, detail: "in effect: telemetry.log.level" },
        in_force: { telemetry: { log: { level: "debug" } } },
      },
    });
    writeFileSync(file, "{ not: [json");
    daemon.signal("SIGHUP");
    await daemon.logged("kept the running config");
    expect(await read()).toMatchObject({ config: { reload: { successful: false } } });
  });
});
