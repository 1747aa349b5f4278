import { describe, expect, it } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { TestManager } from "../support/manager.ts";
import { own, TASK, WINDOW_BY_WINDOW, workedSession, workStep } from "../support/windowed-session.ts";
import { wire } from "../support/wire-messages.ts";

const OPENAI = {
  error: {
    message:
      "This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. Please reduce the length of the messages.",
    type: "invalid_request_error",
    param: "messages",
    code: "context_length_exceeded",
  },
};
const TOKENS_A_MINUTE =
  "Request too large for gpt-4o on tokens per min (TPM): Limit 3000, Requested 7000. The input or output tokens must be reduced in order to run successfully.";
const WRONG_KEY = {
  error: {
    message: "Incorrect API key provided.",
    type: "invalid_request_error",
    param: null,
    code: "invalid_api_key",
  },
};
/** Frees just enough, so that each rung leaves something to the next. */
const MINIMAL = {
  max_context_tokens: 8000,
  settings: { eviction: { policy: "drop_oldest" }, cross_window: { enabled: true } },
} as const;

const refuse = (host: TestManager, provider_error?: Json) =>
  host.call("on_overflow", { ...own, ...(provider_error === undefined ? {} : { provider_error }) });

const typesSince = (host: TestManager, from: number) => host.events.slice(from).map(({ type }) => type);

describe("what the provider's refusal tells", () => {
  it("is learned: the window's size, and the prompt's tokens", async () => {
    const host = await workedSession({ steps: 8 });
    const reply = await refuse(host, OPENAI);
    expect(reply).toMatchObject({
      action: "retry",
      learned: { tokens: 4294, limit: 4097, provider: "openai", kind: "context_length" },
      reading: { max_tokens: 4097, source: "anchored" },
    });
    expect(reply.reading.tokens).toBeLessThan(0.7 * 4294);
    expect(host.published("window.resized")).toEqual([{ max_tokens: 4097, learned_from: "provider_error" }]);
    expect(host.published("overflow.reported")).toMatchObject([
      { attempt: 1, source: "provider_error", reported_tokens: 4294, reported_limit: 4097 },
    ]);
    const anchored = host.published("usage.anchored");
    expect(anchored).toMatchObject([{ tokens: 4294, source: "anchored" }]);
    expect(host.live("s")).toMatchObject({ maxTokens: 4097, windowSource: { from: "provider_error" } });
    // The count anchors what was there when it was refused: what went since is taken off it.
    const { rawTokens, anchor } = host.live("s");
    expect(reply.reading.tokens).toBeCloseTo(4294 - ((anchor?.rawTokens ?? 0) - rawTokens), -1);
  });

  it("takes the place of a window that was guessed, even where it is larger", async () => {
    const host = await workedSession({ steps: 4, open: { model: "nobody-knows-it", max_context_tokens: undefined } });
    const before = host.live("s");
    expect(before.windowGuessed).toBe(true);
    const limit = before.maxTokens + 1000;
    const text = `Prompt length of ${limit + 50} is longer than the maximum model length of ${limit}.`;
    const { reading } = await refuse(host, text);
    expect(reading).toMatchObject({ max_tokens: limit, window_guessed: false });
    expect((await host.session("s")).windowGuessed).toBe(false);
  });

  it("leaves a window alone that the agent wants smaller than the provider's", async () => {
    const host = await workedSession({ steps: 4, open: { max_context_tokens: 4000 } });
    const { reading } = await refuse(host, OPENAI);
    expect(reading.max_tokens).toBe(4000);
    expect(host.published("window.resized")).toEqual([]);
  });

  it("of tokens a minute binds the request that is made again, and not the window", async () => {
    const host = await workedSession({ steps: 14, open: { max_context_tokens: 32_000 } });
    const { action, reading, learned } = await refuse(host, TOKENS_A_MINUTE);
    expect(action).toBe("retry");
    expect(learned).toEqual({ tokens: 7000, limit: 3000, provider: "openai", kind: "tokens_per_minute" });
    expect(reading.max_tokens).toBe(32_000);
    expect(reading.tokens).toBeLessThanOrEqual(3000);
    expect(host.published("window.resized")).toEqual([]);
  });

  it("is an overflow without figures where nobody knows the words", async () => {
    for (const words of ["Computer says no.", { error: { code: 77, detail: ["?"] } }, null, [], 413]) {
      const host = await workedSession({ steps: 8 });
      const before = host.live("s").maxTokens;
      const reply = await refuse(host, words);
      expect(reply).toMatchObject({ action: "retry", attempt: 1, learned: { tokens: null, limit: null } });
      expect(host.live("s").maxTokens).toBe(before);
      expect(host.published("usage.anchored")).toEqual([]);
    }
  });

  it("is not kept in its own words, anywhere", async () => {
    const host = await workedSession({ steps: 8 });
    await refuse(host, `${OPENAI.error.message} Your canaryword was billed.`);
    const rows = await host.journal.rows({ tenant: "acme", id: "s" }, { from: 1, limit: 1000 });
    expect(JSON.stringify([host.events, rows])).not.toContain("canaryword");
  });
});

describe("an error that is no overflow", () => {
  it("changes nothing, and is no attempt", async () => {
    const host = await workedSession({ steps: 12 });
    const include = { ...own, include: ["blocks", "messages"] };
    const before = await host.call("context.get", include);
    const from = host.events.length;
    for (let again = 0; again < 5; again++) {
      expect(await refuse(host, WRONG_KEY)).toMatchObject({
        action: "give_up",
        reason: "not_an_overflow",
        attempt: 0,
        checkpoint: null,
        learned: { kind: "other" },
      });
    }
    expect(await host.call("context.get", include)).toEqual(before);
    expect(typesSince(host, from).filter((type) => type !== "pressure.measured")).toEqual([]);
    expect(await refuse(host, "too long")).toMatchObject({ action: "retry", attempt: 1 });
    expect(await refuse(host, WRONG_KEY)).toMatchObject({ reason: "not_an_overflow", attempt: 1 });
    expect(await refuse(host, "too long")).toMatchObject({ attempt: 2 });
  });
});

describe("the ladder", () => {
  it("evicts, evicts more, opens a window, and gives up with the floor", async () => {
    const host = await workedSession({ steps: 12, resultTokens: 300, open: MINIMAL });
    const replies = [];
    for (let attempt = 0; attempt < 4; attempt++) replies.push(await refuse(host, "too long"));
    expect(replies.map(({ action, reason, attempt, window_id }) => ({ action, reason, attempt, window_id }))).toEqual([
      { action: "retry", reason: null, attempt: 1, window_id: "s#1" },
      { action: "retry", reason: null, attempt: 2, window_id: "s#1" },
      { action: "cross_window_save", reason: null, attempt: 3, window_id: "s#2" },
      { action: "give_up", reason: "attempts", attempt: 4, window_id: "s#2" },
    ]);
    const sizes = replies.map(({ reading }) => reading.tokens);
    expect(sizes[1]).toBeLessThan(sizes[0] as number);
    expect(sizes[2]).toBeLessThan(sizes[1] as number);
    const [, , third, fourth] = replies;
    expect(third?.checkpoint).toMatchObject({ reason: "overflow", window_id: "s#1", turn: 13 });
    const floor = fourth?.floor as NonNullable<(typeof replies)[number]["floor"]>;
    expect(floor.floor_tokens).toBe(
      floor.system_tokens + floor.tools_tokens + floor.protected_tokens + floor.reserve_tokens,
    );
    expect(fourth?.messages).toBeUndefined();
    expect(host.published("window.opened").at(-1)).toMatchObject({ number: 2, cause: "overflow" });
    expect(host.published("overflow.recovered").map(({ action }) => action)).toEqual([
      "retry",
      "retry",
      "cross_window_save",
    ]);
  });

  it("hands back a valid context on every rung, with task, system and the step under way", async () => {
    const host = await workedSession({ steps: 12, resultTokens: 300, open: MINIMAL });
    for (let attempt = 0; attempt < 3; attempt++) {
      const { messages } = await refuse(host, "too long");
      expect(messageFormats.openai.check({ messages: messages as JsonObject[] })).toEqual([]);
      expect(messages?.slice(0, 2)).toEqual([{ role: "system", content: "Be careful." }, wire.openai.user(TASK.goal)]);
      expect(JSON.stringify(messages)).toContain('"call_11"');
    }
  });

  it("goes on to the next rung in the same call where one frees nothing", async () => {
    const host = await workedSession({
      steps: 6,
      open: { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW },
    });
    const reply = await refuse(host, "too long");
    expect(reply).toMatchObject({ action: "cross_window_save", attempt: 1, window_id: "s#2" });
    expect(reply.checkpoint?.window_id).toBe("s#1");
  });

  it("is at its end where a new window would leave nothing behind", async () => {
    const host = await workedSession({ open: { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } });
    expect(await refuse(host, "too long")).toMatchObject({ action: "give_up", reason: "floor", window_id: "s#1" });
    expect(host.published("window.closed")).toEqual([]);
  });

  it("opens no window where the settings forbid it", async () => {
    const settings = { eviction: { policy: "none" }, cross_window: { enabled: false } };
    const host = await workedSession({ steps: 6, open: { max_context_tokens: 8000, settings } });
    expect(await refuse(host, "too long")).toMatchObject({ action: "give_up", reason: "floor", window_id: "s#1" });
  });

  it("begins anew with the next turn, whatever the window", async () => {
    const host = await workedSession({ steps: 12, resultTokens: 300, open: MINIMAL });
    for (let attempt = 0; attempt < 4; attempt++) await refuse(host, "too long");
    await workStep(host, 12);
    expect(await refuse(host, "too long")).toMatchObject({ attempt: 1 });
  });

  it("answers a retry with the same key as it answered the call, and climbs no further", async () => {
    const host = await workedSession({ steps: 6, open: { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } });
    const call = () => host.call("on_overflow", { ...own, idempotency_key: "k", provider_error: "too long" });
    const first = await call();
    const events = host.events.length;
    await workStep(host, 6);
    expect(await call()).toEqual(first);
    const next = await host.restarted();
    expect(await next.call("on_overflow", { ...own, idempotency_key: "k", provider_error: "too long" })).toEqual(first);
    expect(next.events).toEqual([]);
    expect(host.events.slice(events).filter(({ type }) => type === "window.opened")).toEqual([]);
  });
});

describe("an answer that was cut", () => {
  const end = (host: TestManager, stop_reason: string, usage?: JsonObject) =>
    host.call("on_turn_end", {
      ...own,
      message: wire.openai.answer("I was"),
      stop_reason,
      ...(usage ? { usage } : {}),
    });

  it("because the window was full tells how large the window is", async () => {
    const host = await workedSession({ steps: 4 });
    const { reading } = await end(host, "model_context_window_exceeded", { input_tokens: 9000, output_tokens: 500 });
    expect(reading.max_tokens).toBe(9500);
    expect(host.published("overflow.reported")).toMatchObject([
      { attempt: 0, source: "stop_reason", reported_limit: 9500 },
    ]);
    expect(host.published("checkpoint.saved")).toMatchObject([{ reason: "overflow" }]);
    // It is none of the turn's refusals.
    expect(host.live("s").overflowAttempts).toBe(0);
  });

  it("by its own limit tells nothing of the window", async () => {
    for (const reason of ["length", "max_tokens", "stop"]) {
      const host = await workedSession({ steps: 4 });
      await end(host, reason, { input_tokens: 2000, output_tokens: 500 });
      expect(host.published("overflow.reported"), reason).toEqual([]);
      expect(host.published("window.resized"), reason).toEqual([]);
    }
  });

  it("at the end of the window by a name that means either is an overflow that teaches nothing", async () => {
    const host = await workedSession({ steps: 4, open: { max_context_tokens: 8000 } });
    await end(host, "length", { input_tokens: 7500, output_tokens: 500 });
    expect(host.published("overflow.reported")).toMatchObject([{ source: "stop_reason", reported_limit: null }]);
    expect(host.published("window.resized")).toEqual([]);
  });
});
