import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtIn } from "../../src/built-in.ts";
import { ReplayThreads, TaskDropped } from "../../src/cli/replay-threads.ts";
import { evaluateOn } from "../../src/cli/tune-runs.ts";
import { NO_SOURCES } from "../../src/config/index.ts";
import { openConfig } from "../../src/open-config.ts";
import type { Failure } from "../../src/replay/report.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { tuneRuns } from "../support/tune-runs.ts";
import { figures, someRuns } from "../tune/trials.ts";

const never = () => false;

describe("trials", () => {
  /** Threads that cannot replay one of the runs. */
  function threadsWithout(bad: string) {
    const asked: string[] = [];
    const ask = async (task: { readonly path: string }) => {
      asked.push(task.path);
      if (task.path === bad) return { failure: { path: bad, reason: "invalid_history", message: `${bad} is odd.` } };
      return { answer: [{ window: "8k", windowTokens: 8000, policy: "trial", figures: figures(0.5, 1) }] };
    };
    return { asked, threads: { ask } as unknown as ReplayThreads };
  }

  test("leave out a run that the settings of the start cannot replay, from then on", async () => {
    const { asked, threads } = threadsWithout("runs/1.jsonl");
    const failures: Failure[] = [];
    const evaluate = evaluateOn(threads, failures);
    expect(await evaluate({}, someRuns(3), never)).toHaveLength(2);
    expect(failures).toMatchObject([{ path: "runs/1.jsonl", message: "runs/1.jsonl is odd." }]);
    asked.length = 0;
    expect(await evaluate({ ledger: { share: 0.5 } }, someRuns(3), never)).toHaveLength(2);
    expect(asked).toEqual(["runs/0.jsonl", "runs/2.jsonl"]);
  });

  test("speak against other settings that cannot replay a run", async () => {
    const { threads } = threadsWithout("runs/1.jsonl");
    const failures: Failure[] = [];
    const evaluate = evaluateOn(threads, failures);
    await expect(evaluate({ ledger: { share: 0.5 } }, someRuns(3), never)).rejects.toThrow("runs/1.jsonl is odd.");
    expect(failures).toEqual([]);
  });
});

describe("threads that replay", () => {
  async function threads() {
    const parts = await openConfig(NO_SOURCES, builtIn);
    const options = { policies: [], windows: ["8k"], count: "o200k_base", model: null, format: null } as const;
    return new ReplayThreads({ options, sources: NO_SOURCES, parts, most: 2 });
  }

  test("read a run once for all its trials", async () => {
    using folder = temporaryFolder();
    const path = join(tuneRuns(folder, 1), "piece-00.jsonl");
    const own = await threads();
    expect(await own.ask({ kind: "survey", path })).toMatchObject({ answer: { id: "piece-0", skipped: [] } });
    rmSync(path);
    const settings = { eviction: { policy: "fifo" } };
    const outcome = await own.ask({ kind: "trial", path, settings });
    expect(outcome).toMatchObject({ answer: [{ window: "8k" }] });
    expect(await own.ask({ kind: "trial", path, settings })).toEqual(outcome);
    expect(await own.ask({ kind: "replay", path })).toMatchObject({ failure: { reason: "unreadable" } });
    await own.close();
  });

  test("drop what there is no more use for, and finish what was begun", async () => {
    using folder = temporaryFolder();
    const runs = tuneRuns(folder, 3);
    const own = await threads();
    let over = false;
    const asked = [0, 1, 2].map((run) =>
      own.ask({ kind: "survey", path: join(runs, `piece-0${run}.jsonl`) }, () => over),
    );
    over = true;
    const [begun, ...dropped] = await Promise.allSettled(asked);
    expect(begun).toMatchObject({ status: "fulfilled", value: { answer: { id: "piece-0" } } });
    for (const { status, reason } of dropped as PromiseRejectedResult[]) {
      expect({ status, isDropped: reason instanceof TaskDropped }).toEqual({ status: "rejected", isDropped: true });
    }
    await own.close();
  });
});
