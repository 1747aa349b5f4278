import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ContextdError } from "../../src/model/errors.ts";
import { type CallRecord, Dispatcher } from "../../src/rpc/dispatcher.ts";
import { type CallContext, rpcMethod } from "../../src/rpc/method.ts";
import type { Scope } from "../../src/rpc/scope.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { methodProbe, testMethods } from "../support/rpc-methods.ts";

function context(...scopes: Scope[]): CallContext {
  return {
    principal: { name: "test", tenant: "t1", scopes: new Set(scopes.length > 0 ? scopes : (["admin"] as const)) },
    transport: "inprocess",
    traceparent: null,
    signal: new AbortController().signal,
  };
}

function setUp(extra: Partial<ConstructorParameters<typeof Dispatcher>[0]> = {}) {
  const probe = methodProbe();
  const log = new RecordingLog();
  const records: CallRecord[] = [];
  const dispatcher = new Dispatcher(
    { maxBatch: 100, maxDepth: 64, ...extra },
    { methods: testMethods(probe), log, observe: (record) => records.push(record) },
  );
  /** The parsed reply; null when there is none. */
  const send = async (message: unknown, as = context()) => {
    const text = await dispatcher.dispatchText(typeof message === "string" ? message : JSON.stringify(message), as);
    return text === null ? null : JSON.parse(text);
  };
  const call = async (method: string, params?: unknown, as = context()) =>
    send({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) }, as);
  return { probe, log, records, dispatcher, send, call };
}

const echo = (id: unknown, value: unknown = 1) => ({ jsonrpc: "2.0", id, method: "echo", params: { value } });

describe("a call", () => {
  it("is answered with its result under its id", async () => {
    const { call } = setUp();
    expect(await call("echo", { value: { a: [1] } })).toEqual({ jsonrpc: "2.0", id: 1, result: { value: { a: [1] } } });
  });

  it.each([["a string"], [""], [0], [-7], [1.5], [2 ** 53 - 1], [null]])("keeps the id %j as it is", async (id) => {
    const { send } = setUp();
    expect(await send(echo(id))).toEqual({ jsonrpc: "2.0", id, result: { value: 1 } });
  });

  it.each([["true"], ["{}"], ["[]"], ["1e400"], ["9007199254740993"]])("refuses the id %s", async (id) => {
    const { send } = setUp();
    const reply = await send(`{"jsonrpc":"2.0","id":${id},"method":"echo"}`);
    expect(reply).toMatchObject({ id: null, error: { code: -32600, data: { reason: "invalid_request" } } });
  });

  it("without params has empty ones", async () => {
    const { call } = setUp();
    expect(await call("echo")).toMatchObject({ result: { value: null } });
  });

  it("may carry members that JSON-RPC does not know", async () => {
    const { send } = setUp();
    expect(await send({ ...echo(1), meta: {}, ["__proto__x"]: 1 })).toMatchObject({ result: { value: 1 } });
    expect(await send('{"jsonrpc":"2.0","id":1,"method":"echo","__proto__":{"method":"daemon.reload"}}')).toMatchObject(
      {
        result: { value: null },
      },
    );
  });

  it("of an unknown method is told so, with a near one and without a made-up name of any length", async () => {
    const { call } = setUp();
    const near = await call("session.wirte");
    expect(near.error).toMatchObject({ code: -32601, data: { reason: "method_not_found", retryable: false } });
    expect(near.error.message).toContain('Did you mean "session.write"?');
    const long = await call("secret prompt ".repeat(30));
    expect(long.error.code).toBe(-32601);
    expect(long.error.message).not.toContain("secret");
    expect((await call("toString")).error.code).toBe(-32601);
    expect((await call("__proto__")).error.code).toBe(-32601);
  });

  it("takes its params by name", async () => {
    const { call, send } = setUp();
    expect((await call("echo", [1])).error).toMatchObject({ code: -32602, data: { path: "" } });
    expect((await call("echo", [])).error.message).toContain("by name");
    for (const params of [1, "x", true, null]) {
      expect(await send({ jsonrpc: "2.0", id: 7, method: "echo", params })).toMatchObject({
        id: 7,
        error: { code: -32600 },
      });
    }
  });

  it("passes a ContextdError on with its code, reason, retryable and data", async () => {
    const { call } = setUp();
    expect(await call("fail.known")).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: {
        code: -32001,
        message: "There is no session s1.",
        data: { session_id: "s1", reason: "session_not_found", retryable: false },
      },
    });
  });

  it("is told with the trace of its caller, to its observer and, where it fails unexpectedly, to the log", async () => {
    const { call, log, records } = setUp();
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await call("fail.unknown", {}, { ...context(), traceparent });
    await call("fail.unknown", {});
    const trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
    expect(records[0]).toMatchObject({ traceId: trace_id, traceparent });
    expect(log.lines[0]?.fields).toMatchObject({ trace_id });
    expect(records[1]).not.toHaveProperty("traceparent");
    expect(log.lines[1]?.fields).not.toHaveProperty("trace_id");
  });

  it("that fails unexpectedly gets an incident id, and the log the rest, but never the params", async () => {
    const { call, log } = setUp();
    const reply = await call("fail.unknown", {});
    expect(reply.error).toMatchObject({ code: -32603, data: { reason: "internal_error", retryable: true } });
    const { incident } = reply.error.data;
    expect(incident).toMatch(/^[0-9a-f]{12}$/);
    expect(log.text).toContain(incident);
    expect(log.text).toContain("a bug");
    expect(log.text).toContain("rpc-methods.ts");
    expect(JSON.stringify(reply)).not.toContain("a bug");
  });

  it("that chokes on a text does not get it into the log", async () => {
    const { call, log } = setUp();
    await call("fail.unknown", { text: "canary-42 is not JSON" });
    expect(log.lines).toHaveLength(1);
    expect(log.text).not.toContain("canary-42");
  });

  it("whose result is no JSON fails as unexpected", async () => {
    const { call } = setUp();
    expect(await call("fail.result", {})).toMatchObject({ id: 1, error: { code: -32603 } });
  });

  it("needs a scope that includes the method's", async () => {
    const { call } = setUp();
    const refused = await call("session.release", {}, context("agent"));
    expect(refused.error).toMatchObject({ code: -32004, data: { reason: "unauthorized", scope: "operator" } });
    expect(await call("session.release", {}, context("operator"))).toHaveProperty("result");
  });

  it("that takes too long is answered, and keeps its place until it is over", async () => {
    const probe = methodProbe();
    let inside = 0;
    const dispatcher = new Dispatcher(
      { maxBatch: 100, maxDepth: 64, callTimeoutMs: 5 },
      {
        methods: testMethods(probe),
        log: new RecordingLog(),
        admit: () => {
          inside++;
          return () => {
            inside--;
          };
        },
      },
    );
    const text = await dispatcher.dispatchText('{"jsonrpc":"2.0","id":1,"method":"gate.pass"}', context());
    expect(JSON.parse(text as string).error).toMatchObject({ code: -32006, data: { timeout_ms: 5, retryable: true } });
    expect(inside).toBe(1);
    probe.gate.open();
    await probe.gate.reached(1);
    await Promise.resolve();
    expect(inside).toBe(0);
  });

  it("is checked against its result schema where that is asked for", async () => {
    const wrong = rpcMethod({
      name: "wrong",
      summary: "Breaks its promise.",
      scope: "agent",
      mutates: false,
      params: z.strictObject({}),
      result: z.strictObject({ a: z.number() }),
      call: async () => ({ a: "text" }) as never,
    });
    const answer = async (validateResults: boolean) => {
      const dispatcher = new Dispatcher(
        { maxBatch: 1, maxDepth: 64, validateResults },
        { methods: [wrong], log: new RecordingLog() },
      );
      return JSON.parse((await dispatcher.dispatchText('{"jsonrpc":"2.0","id":1,"method":"wrong"}', context())) ?? "");
    };
    expect(await answer(true)).toMatchObject({ error: { code: -32603 } });
    expect(await answer(false)).toMatchObject({ result: { a: "text" } });
  });
});

describe("what is no request", () => {
  it.each([
    ["1", null],
    ['"text"', null],
    ["null", null],
    ["{}", null],
    ['{"jsonrpc":"1.0","id":4,"method":"echo"}', 4],
    ['{"id":"a","method":"echo"}', "a"],
    ['{"jsonrpc":2.0,"id":4,"method":"echo"}', 4],
    ['{"jsonrpc":"2.0","id":4}', 4],
    ['{"jsonrpc":"2.0","method":1,"params":"bar"}', null],
    ['{"jsonrpc":"2.0","id":4,"result":1}', 4],
  ])("%s is an invalid request with the id %j", async (text, id) => {
    const { send } = setUp();
    expect(await send(text)).toMatchObject({ jsonrpc: "2.0", id, error: { code: -32600 } });
  });

  it("is a parse error with the id null when it is no JSON", async () => {
    const { send } = setUp();
    expect(await send('{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]')).toMatchObject({
      id: null,
      error: { code: -32700, data: { reason: "parse_error" } },
    });
  });
});

describe("a notification", () => {
  it.each([
    ["that succeeds", { method: "echo" }],
    ["that fails", { method: "fail.known" }],
    ["that fails unexpectedly", { method: "fail.unknown" }],
    ["of no known method", { method: "nothing" }],
    ["with positional params", { method: "echo", params: [1] }],
    ["with wrong params", { method: "echo", params: { wrong: 1 } }],
    ["without the scope", { method: "daemon.reload" }],
  ])("%s gets no reply", async (_name, request) => {
    const { send } = setUp();
    expect(await send({ jsonrpc: "2.0", ...request }, context("agent"))).toBeNull();
  });

  it("is carried out", async () => {
    const { send, probe } = setUp();
    await send({ jsonrpc: "2.0", method: "echo", params: { value: "done" } });
    expect(probe.calls).toMatchObject([{ method: "echo", params: { value: "done" } }]);
  });
});

describe("a batch", () => {
  it("is answered with an array in the order of its requests, invalid ones included", async () => {
    const { send } = setUp();
    const reply = await send([echo(1), 1, { jsonrpc: "2.0", method: "echo" }, echo("b"), { foo: "boo" }, echo(null)]);
    expect(reply.map((each: { id: unknown }) => each.id)).toEqual([1, null, "b", null, null]);
    expect(reply[1].error.code).toBe(-32600);
  });

  it("of one is answered with an array of one", async () => {
    const { send } = setUp();
    expect(await send([echo(1)])).toHaveLength(1);
  });

  it("that is empty is one invalid request", async () => {
    const { send } = setUp();
    expect(await send([])).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("of 100 is served, one of 101 is refused as a whole", async () => {
    const { send, probe } = setUp();
    const requests = Array.from({ length: 101 }, (_, id) => echo(id));
    expect(await send(requests.slice(0, 100))).toHaveLength(100);
    const reply = await send(requests);
    expect(reply).toMatchObject({ id: null, error: { code: -32600, data: { max_batch: 100 } } });
    expect(probe.calls).toHaveLength(100);
  });

  it("of invalid items is answered item by item", async () => {
    const { send } = setUp();
    const reply = await send([1, [2], []]);
    expect(reply).toHaveLength(3);
    for (const each of reply) expect(each).toMatchObject({ id: null, error: { code: -32600 } });
  });

  it("of notifications only gets no reply", async () => {
    const { send } = setUp();
    const notification = { jsonrpc: "2.0", method: "echo" };
    expect(await send([notification, notification])).toBeNull();
  });

  it("runs its calls side by side", async () => {
    const { send, probe } = setUp();
    const gate = (id: number) => ({ jsonrpc: "2.0", id, method: "gate.pass" });
    const reply = send([gate(1), gate(2), echo(3)]);
    await probe.gate.reached(2);
    probe.gate.open();
    expect((await reply).map((each: { id: unknown }) => each.id)).toEqual([1, 2, 3]);
  });
});

describe("the dispatcher", () => {
  it("refuses two methods of one name", () => {
    const [method] = testMethods(methodProbe());
    const methods = [method, method] as never;
    expect(() => new Dispatcher({ maxBatch: 1, maxDepth: 1 }, { methods, log: new RecordingLog() })).toThrow("echo");
  });

  it("tells of each call once, with closed sets of names", async () => {
    const { send, call, records } = setUp();
    await call("echo");
    await call("no such");
    await call("fail.known");
    await send("{");
    await send([echo(1), 5]);
    expect(records.map(({ method, outcome }) => `${method} ${outcome}`)).toEqual([
      "echo ok",
      "unknown method_not_found",
      "fail.known session_not_found",
      "unknown parse_error",
      "unknown invalid_request",
      "echo ok",
    ]);
    for (const { seconds } of records) expect(seconds).toBeGreaterThanOrEqual(0);
  });

  it("is not broken by what observes it", async () => {
    const log = new RecordingLog();
    const dispatcher = new Dispatcher(
      { maxBatch: 1, maxDepth: 64 },
      {
        methods: testMethods(methodProbe()),
        log,
        observe: () => {
          throw new Error("observer");
        },
      },
    );
    expect(await dispatcher.dispatchText(JSON.stringify(echo(1)), context())).toContain("result");
    expect(log.lines).toHaveLength(1);
  });

  it("gives each call of a batch its own admission", async () => {
    const probe = methodProbe();
    let room = 2;
    const dispatcher = new Dispatcher(
      { maxBatch: 10, maxDepth: 64 },
      {
        methods: testMethods(probe),
        log: new RecordingLog(),
        admit: () => {
          if (room === 0) throw new ContextdError("overloaded", "full", { retry_after_ms: 2500 });
          room--;
          return () => {
            room++;
          };
        },
      },
    );
    const text = await dispatcher.dispatchText(JSON.stringify([echo(1), echo(2), echo(3)]), context());
    expect(JSON.parse(text as string).map((each: object) => "result" in each)).toEqual([true, true, false]);
    expect(room).toBe(2);
    room = 0;
    const { failure } = await dispatcher.dispatch(JSON.stringify(echo(1)), context());
    expect(failure).toEqual({ reason: "overloaded", retryAfterSeconds: 3 });
  });
});
