import { describe, expect, it } from "vitest";
import { type Experience, LearnedModels } from "../../src/manager/learned-models.ts";
import type { CoreEvent, EventData } from "../../src/model/events.ts";
import { LEARNED_MODELS_KEPT } from "../../src/store/journal.ts";

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2025, 10, 21);

const ended = (prompt_tokens: number | null): CoreEvent => ({
  type: "turn.ended",
  data: {
    turn: 1,
    stop_reason: null,
    input_tokens: prompt_tokens,
    output_tokens: null,
    cache_read_input_tokens: null,
    cache_creation_input_tokens: null,
    prompt_tokens,
    estimated_tokens: 100,
  },
});

const REFUSED = {
  attempt: 1,
  source: "provider_error",
  provider: "openai",
  kind: "context_length",
  rule: "r",
} as const;

const refusedPrompt = (reported_tokens: number | null, estimated_tokens: number | null): CoreEvent => ({
  type: "overflow.reported",
  data: { ...REFUSED, reported_tokens, reported_limit: null, estimated_tokens },
});

const resized = (
  max_tokens: number,
  learned_from: EventData["window.resized"]["learned_from"] = "provider_error",
): CoreEvent => ({ type: "window.resized", data: { max_tokens, learned_from } });

const call = (events: readonly CoreEvent[], more: Partial<Experience> = {}): Experience => ({
  ...{ tenant: "acme", model: "m", sessionId: "s", at: NOW, events },
  ...more,
});

/** Learns from a call that is stored; answers what the journal is given. */
function learn(book: LearnedModels, ...args: Parameters<typeof call>): string | null {
  const lesson = book.learn(call(...args));
  lesson.keep();
  return lesson.body;
}

describe("what is learned of models", () => {
  it("is of a tenant and a model: what one tenant is told moves nothing of another's", () => {
    const book = new LearnedModels();
    learn(book, [ended(200), resized(50_000)]);
    expect(book.factor("acme", "m")).toBeCloseTo(1.2);
    expect(book.window("acme", "m", NOW)?.limit).toBe(50_000);
    for (const [tenant, model] of [
      ["acme", "n"],
      ["globex", "m"],
    ] as const) {
      expect(book.factor(tenant, model)).toBe(1);
      expect(book.window(tenant, model, NOW)).toBeNull();
    }
    expect(book.ofTenant("globex", NOW)).toEqual([]);
  });

  it("is known once the call is stored, and not by one that was refused", () => {
    const book = new LearnedModels();
    const lesson = book.learn(call([ended(200), resized(50_000)]));
    expect(lesson.factor).toBeCloseTo(1.2);
    expect(book.factor("acme", "m")).toBe(1);
    lesson.forget();
    expect(book.factor("acme", "m")).toBe(1);
    expect(book.window("acme", "m", NOW)).toBeNull();
    expect(book.learn(call([ended(200)])).factor).toBeCloseTo(1.2);
  });

  it("counts each of the calls that are stored at the same time, in what the journal gets too", () => {
    const book = new LearnedModels();
    const lessons = [200, 200, 200].map((tokens) => book.learn(call([ended(tokens)])));
    for (const lesson of lessons) lesson.keep();
    const stored = JSON.parse(lessons.at(-1)?.body ?? "") as { factor: number };
    expect(stored.factor).toBe(book.factor("acme", "m"));
    expect(book.factor("acme", "m")).toBeCloseTo(2 - 0.8 ** 3);
  });

  it("leaves a refused call out of those after it", () => {
    const book = new LearnedModels();
    const refused = book.learn(call([ended(200)]));
    const kept = book.learn(call([ended(100)]));
    refused.forget();
    kept.keep();
    expect(book.factor("acme", "m")).toBe(1);
  });

  it.each([
    ["usage that was not reported", [ended(null)]],
    ["a refused prompt whose size was not told", [refusedPrompt(null, 100)]],
    ["a refused prompt without an estimate", [refusedPrompt(120, null)]],
    ["a window that was configured", [resized(50_000, "configured")]],
    ["a window that is none", [resized(255)]],
    ["nothing", []],
  ])("is nothing of %s", (_what, events) => {
    const book = new LearnedModels();
    expect(learn(book, events)).toBeNull();
    expect(book.factor("acme", "m")).toBe(1);
    expect(book.ofTenant("acme", NOW)).toEqual([]);
  });

  it("is the factor of a refused prompt as of one that went through", () => {
    const book = new LearnedModels();
    learn(book, [refusedPrompt(150, 100)]);
    expect(book.factor("acme", "m")).toBeCloseTo(1.1);
  });

  it("is no window of sessions that name no model, but their factor", () => {
    const book = new LearnedModels();
    learn(book, [ended(200), resized(8_000)], { model: "unknown" });
    expect(book.factor("acme", "unknown")).toBeCloseTo(1.2);
    expect(book.window("acme", "unknown", NOW)).toBeNull();
  });

  it("is bounded in number, however many models a tenant names", () => {
    const book = new LearnedModels();
    learn(book, [ended(200)], { model: "first" });
    learn(book, [ended(200)], { tenant: "globex" });
    for (let n = 0; n < LEARNED_MODELS_KEPT; n++) learn(book, [ended(200)], { model: `m${n}` });
    expect(book.ofTenant("acme", NOW)).toHaveLength(LEARNED_MODELS_KEPT);
    expect(book.factor("acme", "first")).toBe(1);
    expect(book.factor("acme", `m${LEARNED_MODELS_KEPT - 1}`)).toBeGreaterThan(1);
    expect(book.factor("globex", "m")).toBeGreaterThan(1);
  });

  it("is taken up as it was stored", () => {
    const book = new LearnedModels();
    const body = learn(book, [ended(200), resized(50_000, "model_reported")]) as string;
    const next = new LearnedModels();
    next.resume([{ tenant: "acme", model: "m", body, at: NOW }]);
    expect(next.ofTenant("acme", NOW)).toEqual(book.ofTenant("acme", NOW));
    expect(next.window("acme", "m", NOW)).toEqual({
      limit: 50_000,
      learnedFrom: "model_reported",
      at: NOW,
      sessionId: "s",
    });
  });

  it.each(['{"factor":"1"}', '{"factor":9,"window":null}', "[]", '{"factor":1,"window":{"limit":8}}'])(
    "is not taken up in a shape that is not its own: %s",
    (body) => {
      const book = new LearnedModels();
      book.resume([{ tenant: "acme", model: "m", body, at: NOW }]);
      expect(book.ofTenant("acme", NOW)).toEqual([]);
    },
  );
});

describe("a learned window", () => {
  it("is believed for thirty days from when it was last told", () => {
    const book = new LearnedModels();
    learn(book, [resized(50_000)]);
    expect(book.window("acme", "m", NOW + 30 * DAY - 1)?.limit).toBe(50_000);
    expect(book.window("acme", "m", NOW + 30 * DAY)).toBeNull();
    expect(book.ofTenant("acme", NOW + 30 * DAY)).toMatchObject([{ model: "m", window: null }]);
    learn(book, [resized(50_000)], { at: NOW + 29 * DAY });
    expect(book.window("acme", "m", NOW + 58 * DAY)?.limit).toBe(50_000);
  });

  it("is forgotten when a prompt larger than it went through, and only then", () => {
    const book = new LearnedModels();
    learn(book, [resized(50_000)]);
    learn(book, [ended(50_000)]);
    learn(book, [refusedPrompt(60_000, 60_000)]);
    expect(book.window("acme", "m", NOW)?.limit).toBe(50_000);
    expect(JSON.parse(learn(book, [ended(50_001)]) ?? "")).toMatchObject({ window: null });
    expect(book.window("acme", "m", NOW)).toBeNull();
  });

  it("gives way to one that was told later, larger or smaller", () => {
    const book = new LearnedModels();
    learn(book, [resized(50_000)]);
    learn(book, [resized(90_000, "model_reported")]);
    expect(book.window("acme", "m", NOW)?.limit).toBe(90_000);
    learn(book, [resized(256)]);
    expect(book.window("acme", "m", NOW)?.limit).toBe(256);
  });
});
