import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Breaker } from "../../src/llm/breaker.ts";
import { LlmError } from "../../src/llm/index.ts";
import { pause } from "../../src/outbound/retry.ts";
import type { LlmFault } from "../support/llm-faults.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";
import { clientOf, failureOf, KEY, PROMPT, WIRES } from "./client-of.ts";

/** What each fault is told as, and how many requests a call of three attempts makes of it. */
const FAULTS: readonly (readonly [LlmFault | "", string, number])[] = [
  [{ fault: "hang" }, "deadline", 1],
  [{ fault: "drip", everyMs: 20 }, "deadline", 1],
  [{ fault: "reset" }, "connection", 3],
  [{ fault: "reset", when: "body" }, "connection", 3],
  [{ fault: "status", status: 429 }, "rate_limited", 3],
  [{ fault: "status", status: 408 }, "server_error", 3],
  [{ fault: "status", status: 500 }, "server_error", 3],
  [{ fault: "status", status: 529 }, "server_error", 3],
  [{ fault: "status", status: 401 }, "unauthorized", 1],
  [{ fault: "status", status: 403 }, "unauthorized", 1],
  [{ fault: "status", status: 404 }, "refused", 1],
  [{ fault: "status", status: 413 }, "context_too_long", 1],
  [{ fault: "context_too_long" }, "context_too_long", 1],
  [{ fault: "html" }, "not_json", 1],
  [{ fault: "invalid_json" }, "not_json", 1],
  [{ fault: "truncated_json" }, "not_json", 1],
  [{ fault: "invalid_utf8" }, "not_json", 1],
  [{ fault: "other_shape" }, "bad_shape", 1],
  [{ fault: "empty_body" }, "empty", 1],
  ["", "empty", 1],
  [{ fault: "huge" }, "too_large", 1],
  [{ fault: "huge", declared: true }, "too_large", 1],
  [{ fault: "gzip_bomb" }, "too_large", 1],
  [{ fault: "redirect" }, "redirect", 1],
];

describe.each(WIRES)("over %s", (api) => {
  test.each(FAULTS)(
    "the fault %o ends as %s after %i requests, inside the deadline",
    async (fault, reason, requests) => {
      const canary = typeof fault === "object" && fault.fault === "status" ? { message: "canary-body" } : {};
      await using llm = await ScriptedLlm.start(() => (typeof fault === "string" ? fault : { ...fault, ...canary }));
      const slow = reason === "deadline";
      const { client, calls } = clientOf(llm, api, { attempts: 3, deadlineMs: slow ? 150 : 5_000 });
      const started = performance.now();
      const failure = await failureOf(client.complete(PROMPT));
      const elapsed = performance.now() - started;
      expect(failure.reason).toBe(reason);
      expect(llm.requests).toHaveLength(requests);
      expect(calls).toMatchObject([{ outcome: reason, attempts: requests }]);
      if (slow) expect(elapsed).toBeGreaterThan(140);
      expect(elapsed).toBeLessThan(slow ? 150 + 750 : 4_000);
      const text = inspect(failure, { depth: null, showHidden: true });
      for (const secret of [KEY, "canary", "secret is", "Welcome", "sorry", "127.0.0.1"]) {
        expect(`${text}${failure.stack}`).not.toContain(secret);
      }
    },
  );

  test("nobody there is told as a connection that failed", async () => {
    const llm = await ScriptedLlm.start(() => "x");
    const addresses = { url: llm.url, openaiUrl: llm.openaiUrl };
    await llm[Symbol.asyncDispose]();
    const failure = await failureOf(clientOf(addresses, api).client.complete(PROMPT));
    expect(failure).toMatchObject({ reason: "connection", retryable: true });
    expect(failure.message).toBe("The model could not be reached, or cut the connection [ECONNREFUSED].");
  });

  test("a passing fault is survived inside one call", async () => {
    await using llm = await ScriptedLlm.start((_, index) => (index < 2 ? { fault: "reset" } : "third time lucky"));
    const { client, calls } = clientOf(llm, api, { attempts: 3 });
    expect((await client.complete(PROMPT)).text).toBe("third time lucky");
    expect(calls).toMatchObject([{ outcome: "ok", attempts: 3 }]);
  });
});

test("500 calls over all faults all end inside the deadline, with a text or a reason; the breaker opens and closes", async () => {
  const random = seededRandom();
  const kinds = FAULTS.map(([fault]) => fault);
  let sick = true;
  await using llm = await ScriptedLlm.start(() => {
    const fault = kinds[Math.floor(random() * kinds.length)] ?? "";
    return sick && random() < 0.9 ? fault : "a summary";
  });
  const states: string[] = [];
  const time = { ms: 0 };
  const breaker = new Breaker(
    { failures: 5, cooldownMs: 20, longestCooldownMs: 40 },
    { clock: { now: () => 0, monotonic: () => time.ms }, onChange: (state) => states.push(state) },
  );
  const deadlineMs = 200;
  const { client, calls } = clientOf(
    llm,
    "openai-chat",
    { attempts: 2, concurrency: 10, deadlineMs },
    { breaker, pause },
  );
  const worst = { ms: 0 };
  const one = async () => {
    const started = performance.now();
    const ended = await client.complete(PROMPT).then(
      ({ text }) => text,
      (error) => (error instanceof LlmError ? error.reason : "no LlmError"),
    );
    worst.ms = Math.max(worst.ms, performance.now() - started);
    return ended;
  };
  const ends: string[] = [];
  for (let round = 0; round < 50; round++) {
    // What opened must close again: the backend is well for the last rounds, each longer than a cooldown.
    sick = round < 40;
    ends.push(...(await Promise.all(Array.from({ length: 10 }, one))));
    time.ms += sick ? 15 : 41;
  }
  expect(ends).toHaveLength(500);
  expect(ends).not.toContain("no LlmError");
  expect(calls).toHaveLength(500);
  expect(worst.ms).toBeLessThan(deadlineMs + 3 * 250);
  expect(states).toContain("open");
  expect(client.breaker().state).toBe("closed");
  expect(ends.slice(-10)).toEqual(new Array(10).fill("a summary"));
});

/** The same faults at each run (an LCG of Numerical Recipes). */
function seededRandom(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

describe("a reply that is too large", () => {
  test.each([false, true])("is cut off while it is read (declared length: %s)", async (declared) => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "huge", declared }));
    await failureOf(clientOf(llm, "openai-chat").client.complete(PROMPT));
    // The socket's buffers on both sides hold some megabytes; the rest of the 50 is never taken.
    expect(llm.sentBytes).toBeLessThan(20_000_000);
  });

  test("is cut off while it is unpacked", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "gzip_bomb" }));
    const { client } = clientOf(llm, "openai-chat");
    const before = process.resourceUsage().maxRSS;
    await failureOf(client.complete(PROMPT));
    expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(128);
  });

  test("is one byte above the limit, and not one below", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "x".repeat(3000) }));
    const size = (await (await fetch(`${llm.openaiUrl}/chat/completions`, request())).arrayBuffer()).byteLength;
    const exact = clientOf(llm, "openai-chat", { maxResponseBytes: size });
    expect((await exact.client.complete(PROMPT)).text).toHaveLength(3000);
    const short = clientOf(llm, "openai-chat", { maxResponseBytes: size - 1 });
    expect((await failureOf(short.client.complete(PROMPT))).reason).toBe("too_large");
  });

  const request = () => ({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "test-model",
      messages: [
        { role: "system", content: PROMPT.system },
        { role: "user", content: PROMPT.user },
      ],
      max_tokens: 200,
    }),
  });
});
