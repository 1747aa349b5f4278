import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtIn } from "../../src/built-in.ts";
import type { TuneFlags } from "../../src/cli/tune-flags.ts";
import { handOver } from "../../src/cli/tune-output.ts";
import { readYaml } from "../../src/config/index.ts";
import type { TuneReport } from "../../src/tune/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { FakeProcess } from "./cli-with.ts";

const NOTHING = { line: null, far: null, grounded: null, cost: null, worth: null };
const COMPARISON = { runs: 5, start: NOTHING, tuned: NOTHING, difference: NOTHING };
const MEANS = { line: 0.8, cost: 0.6, worth: 0.7 };

function report(verdict: TuneReport["verdict"]): TuneReport {
  return {
    objective: { name: "balanced", prices: { line: 1, cost: 0.2 }, max_cost: null, min_recall: null },
    windows: ["25%"],
    count: "o200k_base",
    seed: 1,
    train_share: 0.5,
    searched: ["ledger.share"],
    tried: 9,
    tried_on_all: 3,
    stopped: false,
    training: { runs: 5, tasks: 5, start: MEANS, best: MEANS, tuned: MEANS },
    held_back: { runs: 5, tasks: 5, all: COMPARISON, windows: { "25%": COMPARISON }, families: { run: COMPARISON } },
    changes: verdict === "kept" ? {} : { "ledger.share": 0.5 },
    verdict,
    sentence: `They are ${verdict}.`,
    left_out: {},
    beyond: null,
    failures: [],
  };
}

/** What comes of a report: what is printed, what is thrown. */
function handedOver(verdict: TuneReport["verdict"], given: { out?: string; force?: boolean; json?: boolean } = {}) {
  const output = { stdout: "", stderr: "", error: "" };
  const flags: TuneFlags = {
    window: [],
    objective: "balanced",
    costPrice: 0.2,
    trainShare: 0.5,
    seed: 1,
    search: [],
    policy: [],
    count: "o200k_base",
    name: "tuned",
    ...given,
  };
  try {
    handOver(
      { report: report(verdict), flags, base: { max_context_tokens: 8192 }, command: "contextd tune runs/", runs: 10 },
      {
        environment: {},
        builtIn,
        version: "1.2.3",
        process: new FakeProcess(),
        stdout: (text) => {
          output.stdout += text;
        },
        stderr: (text) => {
          output.stderr += text;
        },
      },
    );
  } catch (error) {
    output.error = (error as Error).message;
  }
  return output;
}

describe("what a tuning hands over", () => {
  test("settings that are better are written, and printed where no file is named", () => {
    using folder = temporaryFolder();
    const out = join(folder.path, "profile.yaml");
    expect(handedOver("better", { out }).stdout).toContain(`Wrote the profile tuned to ${out}.`);
    const expected = { profiles: { tuned: { max_context_tokens: 8192, ledger: { share: 0.5 } } } };
    expect(readYaml(readFileSync(out, "utf8")).value).toEqual(expected);
    const { stdout } = handedOver("better");
    expect(readYaml(stdout.slice(stdout.indexOf("# Written by"))).value).toEqual(expected);
  });

  test.each(["equal", "worse"] as const)(
    "settings that are only %s are written as a profile that changes nothing, and are shown in its head",
    (verdict) => {
      using folder = temporaryFolder();
      const out = join(folder.path, "profile.yaml");
      expect(handedOver(verdict, { out })).toMatchObject({
        error: "",
        stdout: expect.stringContaining(
          `They are ${verdict}.\n\nWrote the profile tuned, which changes nothing, to ${out}.`,
        ),
      });
      const text = readFileSync(out, "utf8");
      expect(readYaml(text).value).toEqual({ profiles: { tuned: { max_context_tokens: 8192 } } });
      expect(text).toContain("#   ledger:\n#     share: 0.5\n");
      expect(handedOver(verdict).stdout).not.toContain("profiles:");
    },
  );

  test("a file that has come to be there meanwhile is not overwritten", () => {
    using folder = temporaryFolder();
    const out = folder.write("profile.yaml", "mine: true\n");
    expect(handedOver("better", { out }).error).toContain("is there already");
    expect(readFileSync(out, "utf8")).toBe("mine: true\n");
    expect(handedOver("better", { out, force: true }).error).toBe("");
    expect(readFileSync(out, "utf8")).toContain("share: 0.5");
  });

  test("the JSON document holds the profile and where it went", () => {
    using folder = temporaryFolder();
    const out = join(folder.path, "profile.yaml");
    const written = JSON.parse(handedOver("kept", { out, json: true }).stdout);
    expect(written).toMatchObject({ verdict: "kept", written: out });
    expect(written.profile).toBe(
      readFileSync(out, "utf8").replace(/ on \S+:/, / on \S+:/.exec(written.profile)?.[0] ?? ""),
    );
    expect(JSON.parse(handedOver("worse", { json: true }).stdout)).toMatchObject({ written: null });
  });
});
