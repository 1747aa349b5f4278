import { describe, expect, it } from "vitest";
import { LlmError } from "../../src/llm/index.ts";
import type { ResultsRequest } from "../../src/manager/jobs/summary-job.ts";
import { shortenResults } from "../../src/summaries/shorten-results.ts";
import type { SummariseDependencies, SummaryModel } from "../../src/summaries/summarise.ts";
import { configWith } from "../config/config-with.ts";
import { quarterCount as count, PassageBuilder } from "../support/passages.ts";

type Asked = Parameters<SummaryModel["complete"]>[0];

/** Runs a job over results of some lines each with a model that answers call by call, from 0. */
async function run(
  answer: (call: number, asked: Asked) => string,
  { results = 3, window = 50_000, wanted = (): boolean => true, floor = 0 } = {},
) {
  const built = new PassageBuilder();
  for (let page = 0; page < results; page++) {
    built.calls(
      "list",
      { page },
      `ERROR: item_${page} was lost at /srv/page_${page}.txt\n${`line of ${page}\n`.repeat(100)}`,
    );
  }
  const config = configWith();
  const request: ResultsRequest = {
    kind: "results",
    jobId: "j1",
    results: built.passages
      .filter(({ type }) => type === "tool_result")
      .map((passage) => ({ passage, partHash: `hash of ${passage.blockId}`, limitTokens: 150 })),
    goal: "Find it.",
    settings: { ...config, fidelity: { ...config.fidelity, enabled: floor > 0, floor } } as ResultsRequest["settings"],
    count,
  };
  const asked: Asked[] = [];
  let marks = 0;
  const model: SummaryModel = {
    available: () => true,
    maxInputTokens: async () => window,
    maxOutputTokens: 300,
    async complete(prompt) {
      if (prompt.isWanted?.() === false) throw new LlmError("aborted");
      asked.push(prompt);
      return { text: answer(asked.length - 1, prompt), inputTokens: 100, outputTokens: 10, model: "scripted" };
    },
  };
  const dependencies: SummariseDependencies = {
    model,
    judge: null,
    nonce: () => `5b1c9e0${marks++}`,
    now: () => 0,
    signal: new AbortController().signal,
    isWanted: wanted,
  };
  return { outcome: await shortenResults(request, dependencies), asked };
}

describe("shorter results by a model", () => {
  it("are asked for one by one, each under a mark of its own, and come with what they were made of", async () => {
    const { outcome, asked } = await run((call) => `item_${call} was lost`);
    expect(outcome).toMatchObject({ kind: "results", model: "scripted", inputTokens: 300, outputTokens: 30 });
    if (outcome.kind !== "results") throw new Error(outcome.kind);
    expect(outcome.texts.map(({ text }) => text)).toEqual(["item_0 was lost", "item_1 was lost", "item_2 was lost"]);
    for (const { blockId, partHash } of outcome.texts) expect(partHash).toBe(`hash of ${blockId}`);
    for (const [at, { user, maxOutputTokens }] of asked.entries()) {
      expect(maxOutputTokens).toBe(150);
      expect(user).toContain(`/srv/page_${at}.txt`);
      expect(user).not.toContain(`/srv/page_${at + 1}.txt`);
      expect(user).toContain(`session-data-5b1c9e0${at}`);
    }
  });

  it("are without the one that is refused, and fail where all are", async () => {
    const one = await run((call) => (call === 1 ? "I'm sorry, I cannot." : "lost"));
    expect(one.outcome).toMatchObject({ kind: "results", inputTokens: 200 });
    expect(one.outcome.kind === "results" && one.outcome.texts).toHaveLength(2);
    expect((await run(() => "I'm sorry, I cannot.")).outcome).toEqual({ kind: "failed", reason: "refusal" });
  });

  it("that lost what the result is asked for are refused", async () => {
    const said = (call: number) =>
      call === 0 ? "All is well." : `ERROR: item_${call} was lost at /srv/page_${call}.txt`;
    const { outcome } = await run(said, { floor: 0.5 });
    if (outcome.kind !== "results") throw new Error(outcome.kind);
    expect(outcome.texts.map(({ text }) => text.slice(7, 13))).toEqual(["item_1", "item_2"]);
    expect((await run(() => "All is well.", { floor: 0.5 })).outcome).toEqual({ kind: "failed", reason: "fidelity" });
  });

  it("are not asked for where the result is longer than the model can read", async () => {
    const { outcome, asked } = await run(() => "lost", { window: 100 });
    expect(outcome).toEqual({ kind: "failed", reason: "input_too_large" });
    expect(asked).toEqual([]);
  });

  it("stop with the first that nobody waits for any more", async () => {
    let isWanted = true;
    const answer = () => {
      isWanted = false;
      return "lost";
    };
    const { outcome, asked } = await run(answer, { wanted: () => isWanted });
    expect(asked).toHaveLength(1);
    expect(outcome).toMatchObject({ kind: "results" });
  });
});
