import { describe, expect, test } from "vitest";
import { backoffMs, pause, retryAfterMs } from "../../src/outbound/retry.ts";
import { clientOf, failureOf, PROMPT } from "../llm/client-of.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");

describe("the time that a reply asks for", () => {
  test.each([
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after": "Sun, 01 Mar 2026 12:00:05 GMT" }, 5000],
    [{ "retry-after": "Sun, 01 Mar 2026 11:00:00 GMT" }, 0],
    [{ "retry-after-ms": "20", "retry-after": "9" }, 20],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after": "" }, undefined],
    [{}, undefined],
  ])("%o is %s ms", (headers, ms) => {
    expect(retryAfterMs(headers, NOW)).toBe(ms);
  });
});

test("without it the wait is anything up to a bound that doubles to 8 s", () => {
  const bounds = [1, 2, 3, 4, 5, 6, 30].map((attempt) => backoffMs(attempt, () => 1));
  expect(bounds).toEqual([500, 1000, 2000, 4000, 8000, 8000, 8000]);
  expect(backoffMs(3, () => 0.25)).toBe(500);
  expect(backoffMs(3, () => 0)).toBe(0);
});

test("a wait ends with the signal's reason", async () => {
  const controller = new AbortController();
  const waiting = pause(60_000, controller.signal);
  const reason = new Error("enough");
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
});

describe("a call that is tried again", () => {
  async function waitsOf(retryAfter: string | undefined, deadlineMs = 60_000) {
    await using llm = await ScriptedLlm.start((_, index) =>
      index === 0 ? { fault: "status", status: 429, ...(retryAfter !== undefined && { retryAfter }) } : "ok",
    );
    const waits: number[] = [];
    const { client } = clientOf(
      llm,
      "openai-chat",
      { attempts: 3, deadlineMs },
      {
        clock: { now: () => NOW, monotonic: () => performance.now() },
        random: () => 0.5,
        pause: async (ms) => void waits.push(ms),
      },
    );
    const ended = await client.complete(PROMPT).then(
      () => "ok",
      (error: { reason: string }) => error.reason,
    );
    return { waits, ended, requests: llm.requests.length };
  }

  test("waits as long as it was asked to, in seconds or until a date", async () => {
    expect(await waitsOf("7")).toEqual({ waits: [7000], ended: "ok", requests: 2 });
    expect(await waitsOf("Sun, 01 Mar 2026 12:00:09 GMT")).toEqual({ waits: [9000], ended: "ok", requests: 2 });
  });

  test("waits for a random time where nothing was asked", async () => {
    expect(await waitsOf(undefined)).toEqual({ waits: [250], ended: "ok", requests: 2 });
  });

  test("fails at once when the time does not fit into the deadline", async () => {
    const started = performance.now();
    expect(await waitsOf("7", 5_000)).toEqual({ waits: [], ended: "rate_limited", requests: 1 });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  test("tells the time to its caller", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "status", status: 503, retryAfter: "30" }));
    const failure = await failureOf(clientOf(llm, "anthropic-messages").client.complete(PROMPT));
    expect(failure).toMatchObject({ reason: "server_error", retryAfterMs: 30_000, status: 503 });
  });

  test("ends at the deadline in the middle of its waits", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "status", status: 500 }));
    const { client } = clientOf(
      llm,
      "openai-chat",
      { attempts: 10, deadlineMs: 150 },
      { pause, random: () => 0.1, clock: { now: Date.now, monotonic: () => performance.now() } },
    );
    const started = performance.now();
    const failure = await failureOf(client.complete(PROMPT));
    expect(["server_error", "deadline"]).toContain(failure.reason);
    expect(performance.now() - started).toBeLessThan(900);
    expect(llm.requests.length).toBeGreaterThan(1);
  });
});
