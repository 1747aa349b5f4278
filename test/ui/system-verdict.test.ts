import { describe, expect, it } from "vitest";

// The page's modules are plain JavaScript for the browser; these have no need of one.
const load = (name: string) => import(new URL(`../../src/ui/static/screens/system/${name}`, import.meta.url).href);
const { headlineOf, problemsOf, promiseOf } = await load("verdict.js");

function report(over: Record<string, object> = {}) {
  const base: Record<string, object> = {
    journal: { durable: true, errors: 0, queued: 0, checkpoint_errors: 0, settings: { synchronous: "FULL" } },
    process: { loop_p99_ms: 4 },
    config: { reload: null },
    outputs: {
      alert_sinks: [{ sink: "pager", waiting: 0, outcomes: { ok: 9, given_up: 0, refused: 0 } }],
      grafana_live: null,
      otlp: null,
      events: { evicted: 0 },
    },
  };
  for (const [name, part] of Object.entries(over)) {
    base[name] = Array.isArray(part) ? part : { ...base[name], ...part };
  }
  return { hooks: [], models: [], estimator: [], ...base };
}

describe("the verdict on the daemon", () => {
  it("is that it is ready where nothing is wrong, and says what an answer promises", () => {
    expect(problemsOf(report())).toEqual([]);
    expect(headlineOf(report(), [])).toEqual({ level: 0, text: "Ready, and writing." });
    expect(promiseOf(report())).toBe("Each hook is on disk before it is answered.");
    const forgetful = report({ journal: { durable: false, settings: {} } });
    expect(headlineOf(forgetful, [])).toEqual({ level: 0, text: "Ready, in memory only." });
    expect(promiseOf(forgetful)).toContain("does not outlive");
    expect(promiseOf(report({ journal: { settings: { synchronous: "OFF" } } }))).toContain("synchronous OFF");
  });

  it("begins with what is lost, then what is worse than it should be", () => {
    const problems = problemsOf(
      report({
        process: { loop_p99_ms: 290 },
        journal: { errors: 1 },
        models: [{ role: "summarizer", model: "m", breaker: "open" }],
      }),
    );
    expect(problems.map(({ level, id }: { level: number; id: string }) => [level, id])).toEqual([
      [2, "errors"],
      [1, "summarizer"],
      [1, "loop"],
    ]);
    expect(headlineOf(report(), problems)).toEqual({ level: 2, text: "1 append failed since the start." });
  });

  it.each([
    ["a journal that falls behind", { journal: { queued: 900 } }, /900 rows wait/],
    ["checkpoints that fail", { journal: { checkpoint_errors: 1 } }, /Checkpoints of the store's log/],
    ["a refused reload", { config: { reload: { successful: false } } }, /reload was refused/],
    ["a breaker that tries", { models: [{ role: "judge", model: "m", breaker: "half_open" }] }, /judge m .*next call/],
    ["counts that are off", { estimator: [{ model: "m", error: -0.2 }] }, /m are off by −20.0%/],
    ["calls that fail", { hooks: [{ method: "on_turn_end", count: 100, errors: 9 }] }, /9 of 100 calls of on_turn_end/],
    [
      "notices that were given up",
      { outputs: { alert_sinks: [{ sink: "pager", waiting: 0, outcomes: { given_up: 2, refused: 1 } }] } },
      /3 notices did not reach pager/,
    ],
    [
      "a Grafana that is not there",
      { outputs: { grafana_live: { connected: null, waiting: 5 } } },
      /Grafana Live is not connected/,
    ],
    ["spans that nobody takes", { outputs: { otlp: { given_up: 1 } } }, /spans were not taken/],
    ["a client that was cut off", { outputs: { events: { evicted: 1 } } }, /cut off/],
  ])("tells of %s", (_what, over, words) => {
    const problems = problemsOf(report(over as Record<string, object>));
    expect(problems).toHaveLength(1);
    expect(problems[0].text).toMatch(words);
  });

  it("is not told by a few refusals, a few waiting notices, or a breaker that is shared", () => {
    const fine = {
      hooks: [{ method: "content.recall", count: 10, errors: 5 }],
      models: [{ role: "judge", model: "m", breaker: null }],
      estimator: [{ model: "m", error: 0.05 }],
      outputs: { alert_sinks: [{ sink: "pager", waiting: 3, outcomes: {} }] },
    };
    expect(problemsOf(report(fine))).toEqual([]);
  });
});
