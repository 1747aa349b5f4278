import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tuneRuns } from "../support/tune-runs.ts";
import { cliWith, FakeProcess } from "./cli-with.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/replay/runs", import.meta.url));
/** Few trials of small runs: some seconds. */
const FEW = ["-w", "8k", "--trials", "4", "--search", "eviction.target_utilization", "--search", "eviction.policy"];

describe("contextd tune", () => {
  test("searches, measures on held-back runs, says what to do, and prints tables for people", async () => {
    using folder = temporaryFolder();
    const runs = tuneRuns(folder, 10);
    const { exitCode, stdout, stderr } = await cliWith(["tune", runs, ...FEW]);
    expect(exitCode).toBe(0);
    expect(stderr).toMatch(
      /^trying your settings\nsearching, about \d+ s left; 0 tried, best (\d\.\d{3}), yours \1\n(?:.*\n)?.*held-back runs, about \d+ s left; \d+ tried, .*\n$/,
    );
    expect(stdout).toContain("5 runs of 5 tasks to train on, 5 of 5 other tasks held back; windows 8k;");
    expect(stdout).toMatch(
      /Objective recall \(line recall; cost at most yours\)\. Tried 4, \d of them on all .* seed 1\./,
    );
    expect(stdout).toMatch(/Training\n.*line +cost +recall\n {2}yours +[01]\.\d{3} +\d\.\d{3} +-?\d\.\d{3}\n/);
    expect(stdout).toMatch(/\n {2}far +[01]\.\d{3} \[/);
    expect(stdout).toMatch(/keep (yours|them)|better by/);
  });

  test("gives one JSON document, the same each time, with --json and --trials", async () => {
    using folder = temporaryFolder();
    const args = ["tune", tuneRuns(folder, 10), ...FEW, "--objective", "recall", "--max-cost", "2", "--json"];
    const reports = await Promise.all([cliWith(args), cliWith(args)]);
    const [report, again] = reports.map(({ stdout }) => ({ ...JSON.parse(stdout), profile: null }));
    expect(again).toEqual(report);
    expect(report).toMatchObject({
      objective: { name: "recall", prices: { line: 1, cost: 0 }, max_cost: 2, min_recall: null },
      windows: ["8k"],
      tried: 4,
      stopped: false,
      searched: ["eviction.policy", "eviction.target_utilization"],
      training: { runs: 5, tasks: 5 },
      held_back: { runs: 5, tasks: 5, windows: { "8k": { runs: 5 } }, families: { even: {}, odd: {} } },
      failures: [],
      written: null,
    });
    expect(report.training.best.line).toBeGreaterThanOrEqual(report.training.start.line);
  });

  test("compares with the settings of the config, and finds what beats bad ones", async () => {
    using folder = temporaryFolder();
    using config = temporaryFolder();
    const file = config.write("c.yaml", "eviction: {target_utilization: 0.1}\n");
    const out = join(config.path, "profile.yaml");
    const args = ["tune", tuneRuns(folder, 12), "-w", "8k", "--trials", "9", "--search", "eviction.target_utilization"];
    const bounds = ["--objective", "recall", "--max-cost", "2"];
    const { exitCode, stdout } = await cliWith([...args, ...bounds, "--config", file, "--out", out]);
    expect(stdout).toContain("The tuned settings are better by +0.");
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`Wrote the profile tuned to ${out}.`);
    expect((await cliWith(["check-config", out])).exitCode).toBe(0);
    const tuned = await cliWith(["print-config", "--config", out, "--profile", "tuned"]);
    const target = Number(/target_utilization: (\S+)/.exec(tuned.stdout)?.[1]);
    expect(target).toBeGreaterThan(0.2);
    expect(readFileSync(out, "utf8")).toContain("#   contextd tune ");
    expect(readdirSync(config.path).sort()).toEqual(["c.yaml", "profile.yaml"]);

    const refused = await cliWith([...args, "--out", out]);
    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("is there already: name another file, or overwrite it with --force");
  });

  test("the first interrupt ends the search with the best so far, a second one the command", async () => {
    using folder = temporaryFolder();
    const process = new FakeProcess();
    const args = ["tune", tuneRuns(folder, 10), "-w", "8k", "--trials", "9999", "--json"];
    const running = cliWith(args, { process });
    await turns(() => process.listening > 0);
    // A replay lets the event loop turn once: the 10 runs are read, 5 replayed with the settings of the start.
    await turns(() => false, 60);
    process.send("SIGINT");
    await turns(() => false, 1);
    process.send("SIGINT");
    expect(process.exits).toEqual([130]);
    const { exitCode, stdout } = await running;
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ stopped: true, held_back: { runs: 5 } });
    expect(process.listening).toBe(0);
  });

  test("an interrupt before anything was tried fails", async () => {
    using folder = temporaryFolder();
    const process = new FakeProcess();
    const running = cliWith(["tune", tuneRuns(folder, 10), "-w", "8k"], { process });
    await turns(() => process.listening > 0);
    process.send("SIGINT");
    expect(await running).toMatchObject({ exitCode: 1, stderr: "contextd: stopped before anything was tried\n" });
  });

  test("leaves out runs that cannot be read, names them and exits 1 when all is told", async () => {
    using folder = temporaryFolder();
    const runs = tuneRuns(folder, 10);
    folder.write("broken.jsonl", '{"role":"user"\n');
    const { exitCode, stdout, stderr } = await cliWith(["tune", runs, ...FEW]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain("5 runs of 5 tasks to train on");
    expect(stderr).toContain("broken.jsonl:1 is no JSON.");
    expect(stderr).toContain("1 of 11 runs could not be replayed");
  });

  test("too few tasks are refused with the number that it takes", async () => {
    using folder = temporaryFolder();
    const { exitCode, stderr } = await cliWith(["tune", tuneRuns(folder, 6), "-w", "8k"]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/Tuning takes 10 tasks or more .*; these runs have 6 that fit a window/);
  });

  test.each([
    [["tune"], /missing required argument 'path'/],
    [["tune", "/nowhere/runs"], /There is no \/nowhere\/runs/],
    [["tune", FIXTURES, "-w", "lots"], /lots is no window/],
    [["tune", FIXTURES, "-w", "900k"], /No run fits 900k \(2 x window does not bind\): give other runs or windows/],
    [
      ["tune", FIXTURES, "--search", "eviction.merge"],
      /There is no setting .* eviction\.merge; choose from eviction\.policy/,
    ],
    [["tune", FIXTURES, "--policy", "none"], /There is no policy that evicts of the name none; choose from hybrid/],
    [["tune", FIXTURES, "--train-share", "1"], /above 0 and below 1/],
    [["tune", FIXTURES, "--trials", "5", "--budget-minutes", "1"], /cannot be used with/],
    [["tune", FIXTURES, "--budget-minutes", "0"], /number of minutes/],
    [["tune", FIXTURES, "--objective", "speed"], /balanced, recall, cost/],
    [["tune", FIXTURES, "--name", "a b"], /must be 1 to 64 letters/],
    [["tune", FIXTURES, "--name", "local-8k"], /local-8k is a built-in profile: choose another --name/],
    [["tune", FIXTURES, "--out", "/nowhere/profile.yaml"], /There is no folder \/nowhere: make it first/],
    [["tune", FIXTURES, "--out", FIXTURES], /is no file: name one/],
  ])("%j is a mistake of usage: exit code 2", async (argv, message) => {
    const { exitCode, stdout, stderr } = await cliWith(argv);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toMatch(message);
    expect(existsSync("/nowhere")).toBe(false);
  });
});

/** Lets the event loop turn until something holds, or so many times. */
async function turns(isReached: () => boolean, most = 100_000): Promise<void> {
  for (let turn = 0; turn < most && !isReached(); turn++) await new Promise((resolve) => setImmediate(resolve));
}
