import { describe, expect, test } from "vitest";
import { Breaker } from "../../src/llm/breaker.ts";
import type { LlmBreakerState } from "../../src/model/llm-call.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";
import { clientOf, failureOf, PROMPT, WIRES } from "./client-of.ts";

function breaker(options: Partial<{ failures: number; cooldownMs: number; longestCooldownMs: number }> = {}) {
  const time = { ms: 0 };
  const changes: LlmBreakerState[] = [];
  const made = new Breaker(
    { failures: 3, cooldownMs: 100, longestCooldownMs: 350, ...options },
    { clock: { now: () => 0, monotonic: () => time.ms }, onChange: (state) => changes.push(state) },
  );
  const fail = (times = 1) => {
    for (let n = 0; n < times; n++) made.enter()?.("fault");
  };
  return { made, time, changes, fail };
}

describe("a breaker", () => {
  test("opens after failures in a row, not after as many with a success between", () => {
    const { made, fail } = breaker();
    fail(2);
    made.enter()?.("alive");
    fail(2);
    expect(made.state).toBe("closed");
    fail();
    expect(made.state).toBe("open");
    expect(made.enter()).toBeNull();
  });

  test("lets one call try after the cooldown, and closes when the backend is alive", () => {
    const { made, time, fail, changes } = breaker();
    fail(3);
    time.ms = 99;
    expect(made.refuses).toBe(true);
    time.ms = 100;
    expect(made.state).toBe("half_open");
    const trial = made.enter();
    expect(made.enter()).toBeNull();
    trial?.("alive");
    expect(made.state).toBe("closed");
    expect(changes).toEqual(["open", "half_open", "closed"]);
  });

  test("doubles the cooldown with each failed trial up to a bound, and forgets that once it is closed", () => {
    const { made, time, fail } = breaker();
    fail(3);
    for (const cooldown of [100, 200, 350, 350]) {
      time.ms += cooldown - 1;
      expect(made.refuses).toBe(true);
      time.ms += 1;
      fail();
      expect(made.state).toBe("open");
    }
    time.ms += 350;
    made.enter()?.("alive");
    fail(3);
    time.ms += 100;
    expect(made.state).toBe("half_open");
  });

  test("gives the trial to the next call when one tells nothing", () => {
    const { made, time, fail } = breaker();
    fail(3);
    time.ms = 100;
    made.enter()?.("nothing");
    made.enter()?.("alive");
    expect(made.state).toBe("closed");
  });

  test("does not listen to calls from before it changed", () => {
    const { made, time, fail } = breaker();
    const [late, later] = [made.enter(), made.enter()];
    fail(3);
    late?.("alive");
    expect(made.state).toBe("open");
    time.ms = 100;
    const trial = made.enter();
    later?.("fault");
    expect(made.enter()).toBeNull();
    trial?.("alive");
    expect(made.state).toBe("closed");
  });
});

describe.each(WIRES)("over %s", (api) => {
  test("a failing backend is left alone after 5 requests, at a cost of less than 5 ms a call, and taken up again", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "status", status: 500 }));
    const time = { ms: 0 };
    const clock = { now: Date.now, monotonic: () => time.ms };
    const { client, calls } = clientOf(llm, api, { attempts: 3 }, { clock });
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("server_error");
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("server_error");
    expect(llm.requests).toHaveLength(5);
    expect(client.breaker().state).toBe("open");

    const rounds = 200;
    const started = performance.now();
    for (let round = 0; round < rounds; round++) {
      expect((await failureOf(client.complete(PROMPT))).reason).toBe("breaker_open");
    }
    expect((performance.now() - started) / rounds).toBeLessThan(5);
    expect(llm.requests).toHaveLength(5);
    expect(calls.at(-1)).toMatchObject({ outcome: "breaker_open", attempts: 0 });

    llm.script = () => "back again";
    time.ms += 10_000;
    expect((await client.complete(PROMPT)).text).toBe("back again");
    expect(client.breaker().state).toBe("closed");
  });

  test("prompts that are too long and callers who give up open nothing", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "context_too_long" }));
    const { client } = clientOf(llm, api);
    for (let call = 0; call < 6; call++) {
      expect((await failureOf(client.complete(PROMPT))).reason).toBe("context_too_long");
      expect((await failureOf(client.complete({ ...PROMPT, signal: AbortSignal.abort() }))).reason).toBe("aborted");
    }
    expect(client.breaker().state).toBe("closed");
  });
});
