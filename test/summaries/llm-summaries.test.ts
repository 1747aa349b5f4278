import { describe, expect, it } from "vitest";
import { LlmError } from "../../src/llm/index.ts";
import type { SummaryOutcome, SummaryRequest } from "../../src/manager/jobs/summary-job.ts";
import { systemClock } from "../../src/model/clock.ts";
import type { Passage } from "../../src/model/passage.ts";
import { LlmSummaries } from "../../src/summaries/index.ts";
import type { SummaryModel } from "../../src/summaries/summarise.ts";
import { configWith } from "../config/config-with.ts";
import { clientOf } from "../llm/client-of.ts";
import { quarterCount as count, PassageBuilder } from "../support/passages.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";

const SUMMARY = "## Decisions\n- The pages are read one after the other.";
const { fidelity, ...settings } = configWith();

type Asked = Parameters<SummaryModel["complete"]>[0];

/** A model that answers when the test says so. */
class HeldModel implements SummaryModel {
  readonly asked: { readonly request: Asked; readonly answer: (text: string) => void }[] = [];
  readonly maxOutputTokens = 300;
  isAvailable = true;
  window = 50_000;
  #told: () => void = () => undefined;

  available(): boolean {
    return this.isAvailable;
  }

  async maxInputTokens(): Promise<number> {
    return this.window;
  }

  complete(request: Asked) {
    if (request.isWanted?.() === false) return Promise.reject(new LlmError("aborted"));
    return new Promise<Awaited<ReturnType<SummaryModel["complete"]>>>((resolve, reject) => {
      request.signal?.addEventListener("abort", () => reject(new LlmError("aborted")));
      const answer = (text: string) => resolve({ text, inputTokens: 100, outputTokens: 10, model: "held" });
      this.asked.push({ request, answer });
      this.#told();
    });
  }

  /** Waits until it has been asked so many times, and answers the last. */
  async answered(times: number, text = SUMMARY): Promise<void> {
    while (this.asked.length < times) {
      await new Promise<void>((resolve) => {
        this.#told = resolve;
      });
    }
    this.asked[times - 1]?.answer(text);
  }
}

function passages(pages: number): readonly Passage[] {
  const built = new PassageBuilder();
  for (let page = 0; page < pages; page++) built.calls("list", { page }, `page ${page} `.repeat(100));
  return built.passages;
}

function requestOf(jobId: string, pages = 4): SummaryRequest {
  return {
    kind: "history",
    jobId,
    passages: passages(pages),
    previous: null,
    goal: "Find it.",
    constraints: [],
    staying: [],
    limitTokens: 300,
    settings: { ...settings, fidelity: { ...fidelity, enabled: false } } as SummaryRequest["settings"],
    count,
  };
}

function summariesOf(model: SummaryModel) {
  const log = new RecordingLog();
  const summaries = new LlmSummaries({ model, judge: null, clock: systemClock, log, nonce: () => "5b1c9e0a" });
  const delivered: string[] = [];
  const begin = (session: string, request: SummaryRequest): Promise<SummaryOutcome> | null => {
    summaries.start(session, request, async (outcome) => {
      delivered.push(`${session} ${request.jobId} ${outcome.kind === "failed" ? outcome.reason : outcome.kind}`);
    });
    return summaries.outcome(session, request.jobId);
  };
  return { summaries, begin, delivered, log };
}

describe("summaries by a model", () => {
  it("are asked for once, however often they are begun, and delivered once", async () => {
    const model = new HeldModel();
    const { begin, delivered, summaries } = summariesOf(model);
    begin("s", requestOf("j1"));
    const outcome = begin("s", requestOf("j1"));
    await model.answered(1);
    expect(await outcome).toMatchObject({ kind: "prepared", model: "held", inputTokens: 100, outputTokens: 10 });
    await summaries.stop();
    expect(model.asked).toHaveLength(1);
    expect(delivered).toEqual(["s j1 prepared"]);
  });

  it("of two sessions go on side by side", async () => {
    const model = new HeldModel();
    const { begin, delivered } = summariesOf(model);
    const outcomes = [begin("a", requestOf("j1")), begin("b", requestOf("j1"))];
    await model.answered(2, "no summary");
    await outcomes[1];
    await model.answered(1);
    await outcomes[0];
    await Promise.resolve();
    expect(delivered).toEqual(["b j1 unparseable", "a j1 prepared"]);
  });

  it("of long passages are folded part by part in a small window, and each part once", async () => {
    const model = new HeldModel();
    model.window = 1_200;
    const { begin } = summariesOf(model);
    const outcome = begin("s", requestOf("j1", 6));
    const texts = ["first", "second", "third", "fourth", "fifth", "sixth"];
    let asked = 0;
    let ended: SummaryOutcome | null | undefined;
    void outcome?.then((how) => {
      ended = how;
    });
    while (!ended && asked < texts.length) {
      await Promise.race([model.answered(asked + 1, `## Done\n- The ${texts[asked]} part.`), outcome]);
      asked++;
      await new Promise(setImmediate);
    }
    expect(ended).toMatchObject({ kind: "prepared", inputTokens: 100 * model.asked.length });
    expect(model.asked.length).toBeGreaterThan(1);
    for (const [at, { request }] of model.asked.entries()) {
      expect(count(request.system) + count(request.user)).toBeLessThanOrEqual(1_200);
      if (at > 0) expect(request.user).toContain(`The ${texts[at - 1]} part.`);
    }
    const read = model.asked.map(({ request }) => request.user).join("\n");
    for (let page = 0; page < 6; page++) expect(read.split(`page: ${page}\n`)).toHaveLength(2);
  });

  it("of more parts than a summary is worth are refused before the model is asked", async () => {
    const model = new HeldModel();
    model.window = 1_200;
    const { begin } = summariesOf(model);
    expect(await begin("s", requestOf("j1", 60))).toEqual({ kind: "failed", reason: "input_too_large" });
    expect(model.asked).toEqual([]);
  });

  it("that are given up are not delivered, and ask the model nothing more", async () => {
    const model = new HeldModel();
    model.window = 1_200;
    const { begin, summaries, delivered } = summariesOf(model);
    const outcome = begin("s", requestOf("j1", 6));
    summaries.keep("s", "j1");
    expect(summaries.outcome("s", "j1")).not.toBeNull();
    while (model.asked.length === 0) await new Promise(setImmediate);
    summaries.keep("s", null);
    expect(summaries.outcome("s", "j1")).toBeNull();
    model.asked[0]?.answer(SUMMARY);
    expect(await outcome).toEqual({ kind: "failed", reason: "aborted" });
    await summaries.stop();
    expect(model.asked).toHaveLength(1);
    expect(delivered).toEqual([]);
  });

  it("stop with what is under way, and wait for a delivery that has begun", async () => {
    const model = new HeldModel();
    const { begin, summaries, delivered } = summariesOf(model);
    const hanging = begin("a", requestOf("j1"));
    let deliver: () => void = () => undefined;
    let isDelivering = false;
    const stored = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    summaries.start("b", requestOf("j1"), () => {
      isDelivering = true;
      return stored;
    });
    await model.answered(2);
    while (!isDelivering) await new Promise(setImmediate);
    let hasStopped = false;
    const stopping = summaries.stop().then(() => {
      hasStopped = true;
    });
    expect(await hanging).toEqual({ kind: "failed", reason: "aborted" });
    await new Promise(setImmediate);
    expect(hasStopped).toBe(false);
    deliver();
    await stopping;
    expect(summaries.available()).toBe(false);
    expect(begin("c", requestOf("j1"))).toBeNull();
    expect(delivered).toEqual([]);
  });

  it("that cannot be delivered are told without a word of theirs, and may be begun again", async () => {
    const model = new HeldModel();
    const { begin, summaries, delivered, log } = summariesOf(model);
    summaries.start("s", requestOf("j1"), () => Promise.reject(new Error("the store is away")));
    await model.answered(1);
    while (summaries.outcome("s", "j1")) await new Promise(setImmediate);
    expect(log.lines).toMatchObject([{ level: "warn", fields: { job: "j1" } }]);
    expect(log.text).not.toContain("The pages are read");
    void begin("s", requestOf("j1"));
    await model.answered(2);
    while (delivered.length === 0) await new Promise(setImmediate);
    expect(delivered).toEqual(["s j1 prepared"]);
  });
});

describe("summaries by the real client", () => {
  const inTurn = { concurrency: 1, deadlineMs: 20_000, maxInputTokens: 50_000 };

  it("fail at once where too many wait already", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    const { client } = clientOf(llm, "openai-chat", { ...inTurn, queue: 1 });
    const { begin, summaries } = summariesOf(client);
    const outcomes = ["a", "b", "c"].map((session) => begin(session, requestOf("j1")));
    expect(await outcomes[2]).toEqual({ kind: "failed", reason: "queue_full" });
    client.close();
    await summaries.stop();
  });

  it("that wait and are given up leave their turn to the next without a request", async () => {
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await using llm = await ScriptedLlm.start(async (_request, index) => {
      if (index === 0) await held;
      return SUMMARY;
    });
    const { client } = clientOf(llm, "openai-chat", inTurn);
    const { begin, summaries, delivered } = summariesOf(client);
    const outcomes = ["a", "stale", "b"].map((session) => begin(session, requestOf("j1")));
    summaries.keep("stale", null);
    while (llm.requests.length === 0) await new Promise(setImmediate);
    release();
    expect(await outcomes[1]).toEqual({ kind: "failed", reason: "aborted" });
    expect(await outcomes[2]).toMatchObject({ kind: "prepared" });
    while (delivered.length < 2) await new Promise(setImmediate);
    expect(delivered).toEqual(["a j1 prepared", "b j1 prepared"]);
    expect(llm.requests).toHaveLength(2);
    client.close();
  });
});
