import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliWith } from "../cli/cli-with.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tuneRuns } from "../support/tune-runs.ts";

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

const contextd = (...args: readonly string[]) =>
  execFileSync(process.execPath, [MAIN, ...args], { encoding: "utf8", stdio: "pipe" });
const known = (text: string) => ({ ...(JSON.parse(text) as object), profile: null, written: null });

test("contextd tune comes to the same from threads as from one, and writes a profile that the config takes", async () => {
  using folder = temporaryFolder();
  using target = temporaryFolder();
  const runs = tuneRuns(folder, 12);
  const out = join(target.path, "profile.yaml");
  const config = target.write(
    "c.yaml",
    "eviction: {policy: fifo, target_utilization: 0.1}\nledger: {enabled: false}\ncompaction: {summarizer: none}\n",
  );
  const search = [
    "-w",
    "8k",
    "--trials",
    "9",
    "-s",
    "eviction.target_utilization",
    "-s",
    "ledger",
    "--objective",
    "recall",
    "--max-cost",
    "2",
  ];
  const args = ["tune", runs, ...search, "--config", config, "--json"];
  const threads = contextd(...args, "--out", out);
  expect(known(threads)).toEqual(known((await cliWith(args)).stdout));
  expect(known(threads)).toMatchObject({ verdict: "better", tried: 9 });

  const merged = target.write("merged.yaml", readFileSync(config, "utf8") + readFileSync(out, "utf8"));
  expect(contextd("check-config", merged)).toContain("is good");
  const replayed = contextd("replay", runs, "-w", "8k", "-p", "fifo,profile:tuned", "--config", merged, "--json");
  const [before, tuned] = (JSON.parse(replayed) as { results: { line: { mean: number } }[] }).results;
  expect(tuned?.line.mean).toBeGreaterThan(before?.line.mean as number);
  expect(contextd("print-config", "--config", merged, "--profile", "tuned")).not.toContain("target_utilization: 0.1\n");
});
