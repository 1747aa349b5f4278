import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { cliWith } from "./cli-with.ts";

const RUNS = fileURLToPath(new URL("../fixtures/replay/runs", import.meta.url));

describe("contextd replay", () => {
  test("prints tables for people", async () => {
    const { exitCode, stdout, stderr } = await cliWith(["replay", RUNS, "-p", "none,plain_fifo", "-w", "25%"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toContain("2 runs of 2 tasks; tokens by o200k_base");
    expect(stdout).toMatch(
      /Window 25%, 1 runs\n {2}policy .* line against none +same\n {2}none +1\.000 \[1\.000, 1\.000\]/,
    );
    expect(stdout).toMatch(/\n {2}plain_fifo +0\.\d{3} \[.*\] .* -0\.\d{3} \[/);
    expect(stdout).toContain("At 25%, 1 runs are left out: window too small.");
  });

  test("prints one JSON document with --json", async () => {
    const { exitCode, stdout } = await cliWith(["replay", RUNS, "--policy", "hybrid", "--count", "chars", "--json"]);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      policies: ["hybrid"],
      windows: ["25%", "16k"],
      count: "chars",
      runs: 2,
      results: [
        { window: "25%", policy: "hybrid", runs: 1 },
        { window: "16k", policy: "hybrid", runs: 1 },
      ],
    });
  });

  test("writes a page with --html, beside what it prints", async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, "report.html");
    const args = ["replay", RUNS, "-p", "plain_fifo,oracle*", "-w", "6k", "--run", "long-run", "--html", file];
    const { exitCode, stdout } = await cliWith(args);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/\n {2}oracle +1\.000 /);
    const page = readFileSync(file, "utf8");
    expect(page).toMatch(/^<!doctype html>/);
    expect(page).toContain("What 2 policies keep");
  });

  test("refuses a page that cannot be written before it does the work", async () => {
    const { exitCode, stdout, stderr } = await cliWith(["replay", RUNS, "--html", "/nowhere/report.html"]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toContain("There is no folder /nowhere: make it first.");
    expect(existsSync("/nowhere")).toBe(false);
  });

  test("replays the settings of a profile", async () => {
    using folder = temporaryFolder();
    const config = folder.write(
      "c.yaml",
      "profiles:\n  lean: {eviction: {policy: fifo, target_utilization: 0.3}, ledger: {enabled: false}}\n  plain: {eviction: {policy: fifo}}\n",
    );
    const policies = "profile:lean,profile:plain,fifo";
    const args = ["replay", `${RUNS}/long-run.jsonl`, "-p", policies, "-w", "6k", "--json", "--config", config];
    const { results } = JSON.parse((await cliWith(args)).stdout) as {
      results: { policy: string; tokens_sent: number }[];
    };
    const [lean, plain, fifo] = results;
    expect(results.map(({ policy }) => policy)).toEqual(["profile:lean", "profile:plain", "fifo"]);
    expect(plain?.tokens_sent).toBe(fifo?.tokens_sent);
    expect(lean?.tokens_sent ?? 0).toBeLessThan(0.9 * (plain?.tokens_sent ?? 0));
  });

  test("without --policy begins with that of the config and has peers and bounds beside it", async () => {
    using folder = temporaryFolder();
    const config = folder.write("c.yaml", "eviction: {policy: lru}\n");
    const args = ["replay", `${RUNS}/long-run.jsonl`, "-w", "6k", "--json", "--config", config];
    const { policies } = JSON.parse((await cliWith(args)).stdout) as { policies: string[] };
    expect(policies[0]).toBe("lru");
    expect(policies).toEqual(expect.arrayContaining(["fifo", "plain_sliding", "published_hybrid", "oracle", "none"]));
    expect(new Set(policies).size).toBe(policies.length);
  });

  test("takes the sessions' settings from the config", async () => {
    using folder = temporaryFolder();
    const config = folder.write("c.yaml", "eviction: {target_utilization: 0.3}\nledger: {enabled: false}\n");
    const args = ["replay", `${RUNS}/long-run.jsonl`, "-p", "fifo", "-w", "6k", "--json"];
    const sent = async (argv: readonly string[]) =>
      (JSON.parse((await cliWith(argv)).stdout) as { results: { tokens_sent: number }[] }).results[0]?.tokens_sent ?? 0;
    expect(await sent([...args, "--config", config])).toBeLessThan(0.9 * (await sent(args)));
  });

  test("tells which runs it could not replay, reports the others and exits 1", async () => {
    using folder = temporaryFolder();
    const bad = folder.write("bad.jsonl", '{"role":"user"\n');
    const { exitCode, stdout, stderr } = await cliWith(["replay", bad, `${RUNS}/long-run.jsonl`, "-p", "none"]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("1 runs of 1 tasks");
    expect(stderr).toContain("bad.jsonl:1 is no JSON.");
    expect(stderr).toContain("1 of 2 runs could not be replayed");
  });

  test.each([
    [["replay"], /missing required argument 'path'/],
    [["replay", "/nowhere/runs"], /There is no \/nowhere\/runs/],
    [["replay", RUNS, "-p", "hybird"], /There is no policy hybird/],
    [["replay", RUNS, "-p", "profile:none"], /There is no policy profile:none; choose from .*profile:research/],
    [["replay", RUNS, "-w", "lots"], /lots is no window/],
    [["replay", RUNS, "--count", "words"], /o200k_base, cl100k_base, chars/],
  ])("%j is a mistake of usage: exit code 2", async (argv, message) => {
    const { exitCode, stdout, stderr } = await cliWith(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
  });

  test("a folder without runs is refused", async () => {
    using folder = temporaryFolder();
    expect((await cliWith(["replay", folder.path])).stderr).toContain("There is no run (*.jsonl)");
  });
});
