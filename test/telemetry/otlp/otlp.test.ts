import { afterEach, describe, expect, it } from "vitest";
import type { EventData } from "../../../src/model/events.ts";
import { type Otlp, type OtlpDependencies, type OtlpSettings, openOtlp } from "../../../src/telemetry/otlp/index.ts";
import type { TracedCall } from "../../../src/telemetry/otlp/tracer.ts";
import { FakeCollector } from "../../support/fake-collector.ts";
import { GATE, pressure, published } from "../../support/published-event.ts";
import { RecordingLog } from "../../support/recording-log.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const SAMPLED = `00-${TRACE}-${PARENT}-01`;
const NOT_SAMPLED = `00-${TRACE}-${PARENT}-00`;
const NOW = Date.UTC(2025, 10, 21, 14, 2, 11);

const CALL: TracedCall = {
  method: "on_turn_start",
  transport: "http",
  tenant: "default",
  outcome: "ok",
  seconds: 0.0125,
  sessionId: "s1",
};

const PASS: EventData["history.compacted"] = {
  ...({ pass_id: "p1", strategy: "eviction", summarizer: "none", cause: "orange", job_id: null } as const),
  ...{ messages_before: 40, messages_after: 20, tokens_before: 100_000, tokens_after: 60_000, target_tokens: 60_000 },
  ...{
    edits: 12,
    considered_blocks: null,
    considered_tokens: null,
    generation: 1,
    waited_ms: 0,
    gate: GATE,
    shallower: null,
    thresholds: { yellow: 0.6, orange: 0.75, red: 0.9 },
    scoring: null,
  },
};

const opened: Otlp[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});

function open(endpoint: string, over: Partial<OtlpSettings> = {}, deps: Partial<OtlpDependencies> = {}) {
  const log = new RecordingLog();
  const settings = { endpoint, headers_file: null, sample_ratio: 1, timeout_ms: 5_000, queue: 2_048, ...over };
  const otlp = openOtlp(settings, {
    clock: { now: () => NOW, monotonic: () => performance.now() },
    log,
    readSecretFile: () => "",
    service: { version: "1.2.3", instance: "host-1" },
    flushMs: 5,
    ...deps,
  });
  if (otlp === null) throw new Error("an endpoint was given");
  opened.push(otlp);
  return Object.assign(otlp, { log });
}

const compacted = (over: Parameters<typeof published>[2] = {}, waited_ms = 0) => [
  published("history.compacted", { ...PASS, waited_ms }, { at: NOW - 4, ...over }),
  published("pressure.measured", pressure({ utilization: 0.47, moment: "edit" }), { at: NOW - 4, ...over }),
];

describe("spans of calls", () => {
  it("go on with the caller's trace, in the JSON that OTLP asks for", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(`${collector.url}/`);
    otlp.observeCall({ ...CALL, traceparent: SAMPLED });
    await collector.until(() => collector.spans.length === 1);
    expect(collector.findings).toEqual([]);
    expect(collector.requests[0]).toMatchObject({
      path: "/v1/traces",
      headers: { "content-type": "application/json" },
      resource: { "service.name": "contextd", "service.version": "1.2.3", "service.instance.id": "host-1" },
    });
    expect(collector.spans[0]).toEqual({
      traceId: TRACE,
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      parentSpanId: PARENT,
      flags: 0x301,
      name: "on_turn_start",
      kind: 2,
      startTimeUnixNano: "1763733730987500000",
      endTimeUnixNano: "1763733731000000000",
      status: {},
      attributes: {
        "rpc.system": "jsonrpc",
        "rpc.jsonrpc.version": "2.0",
        "rpc.method": "on_turn_start",
        "contextd.transport": "http",
        "gen_ai.conversation.id": "s1",
      },
    });
    expect(collector.spans[0]?.spanId).not.toBe(PARENT);
  });

  it("without a caller's trace begin one of their own, each another", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url);
    for (let call = 0; call < 3; call++) otlp.observeCall(CALL);
    await collector.until(() => collector.spans.length === 3);
    expect(collector.findings).toEqual([]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(3);
    for (const span of collector.spans) expect(span).not.toHaveProperty("parentSpanId");
  });

  it("are failed where the daemon failed, and not where the caller did", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url);
    for (const outcome of ["internal_error", "invalid_params"]) otlp.observeCall({ ...CALL, outcome });
    await collector.until(() => collector.spans.length === 2);
    expect(collector.spans.map(({ status, attributes }) => [attributes["error.type"], status.code])).toEqual([
      ["internal_error", 2],
      ["invalid_params", undefined],
    ]);
  });

  it("are told where the caller's trace is, whatever the ratio, and not where it is not", async () => {
    await using collector = await FakeCollector.start();
    const none = open(collector.url, { sample_ratio: 0 });
    none.observeCall({ ...CALL, method: "told", traceparent: SAMPLED });
    none.observeCall({ ...CALL, method: "of no trace" });
    const all = open(collector.url, { sample_ratio: 1 });
    all.observeCall({ ...CALL, method: "not told", traceparent: NOT_SAMPLED });
    await none.close();
    await all.close();
    expect(collector.spans.map(({ name }) => name)).toEqual(["told"]);
  });
});

describe("spans of passes", () => {
  it("stand below the call that made them, with its figures under their conventional names", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url);
    otlp.observer.observe(compacted({ traceparent: SAMPLED }, 3));
    otlp.observeCall({ ...CALL, traceparent: SAMPLED });
    await collector.until(() => collector.spans.length === 2);
    expect(collector.findings).toEqual([]);
    const [call, pass] = collector.spans;
    expect(pass).toMatchObject({
      traceId: TRACE,
      parentSpanId: call?.spanId,
      name: "compaction",
      kind: 1,
      flags: 0x101,
    });
    expect(Number(BigInt(pass?.endTimeUnixNano ?? 0) - BigInt(pass?.startTimeUnixNano ?? 0))).toBe(3_000_000);
    expect(pass?.attributes).toEqual({
      "gen_ai.conversation.id": "s1",
      "gen_ai.agent.name": "code-fix",
      "gen_ai.request.model": "gpt-4o",
      "gen_ai.provider.name": "openai",
      "gen_ai.context.utilization": 0.47,
      "compaction.strategy": "eviction",
      "compaction.summarizer": "none",
      "compaction.cause": "orange",
      "compaction.tokens_before": 100_000,
      "compaction.tokens_after": 60_000,
    });
  });

  it.each<[string, Partial<TracedCall>]>([
    ["session", { sessionId: "s2" }],
    ["tenant", { tenant: "other" }],
    ["trace", { traceparent: `00-${"a".repeat(32)}-${PARENT}-01` }],
    ["time", { seconds: 0 }],
  ])("are not taken for those of a call of another %s", async (_, other) => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url);
    otlp.observer.observe(compacted({ traceparent: SAMPLED }));
    otlp.observeCall({ ...CALL, traceparent: SAMPLED, ...other });
    await otlp.close();
    const [call, pass] = collector.spans;
    expect(pass).toMatchObject({ name: "compaction", traceId: TRACE, parentSpanId: PARENT });
    expect(pass?.parentSpanId).not.toBe(call?.spanId);
  });

  it("that no call claims are told all the same, oldest first when too many wait", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url);
    for (let pass = 0; pass < 1_003; pass++) otlp.observer.observe(compacted({ session: `s${pass}` }));
    await collector.until(() => collector.spans.length === 3);
    expect(collector.spans.map(({ attributes }) => attributes["gen_ai.conversation.id"])).toEqual(["s0", "s1", "s2"]);
    await otlp.close();
    expect(collector.spans).toHaveLength(1_003);
    expect(collector.findings).toEqual([]);
  });
});

describe("a collector", () => {
  it("that hangs costs no call anything, memory no more than the queue, and a stop no more than two seconds", async () => {
    await using collector = await FakeCollector.start(() => "hang");
    const otlp = open(collector.url, { queue: 300, timeout_ms: 60_000 });
    otlp.observeCall(CALL);
    await collector.until(() => collector.requests.length === 1);
    const begun = performance.now();
    for (let call = 0; call < 10_000; call++) otlp.observeCall(CALL);
    expect((performance.now() - begun) / 10_000).toBeLessThan(0.5);
    expect(otlp.outcomes()).toEqual({ sent: 0, rejected: 0, given_up: 0, dropped: 10_001 - 300 });
    const closing = performance.now();
    await otlp.close();
    expect(performance.now() - closing).toBeLessThan(3_000);
    expect(otlp.outcomes()).toEqual({ sent: 0, rejected: 0, given_up: 300, dropped: 10_001 - 300 });
  });

  it("that is slow is waited for no longer than the time limit, and asked again", async () => {
    await using collector = await FakeCollector.start((index) => (index === 0 ? "hang" : "ok"));
    const otlp = open(collector.url, { timeout_ms: 50 });
    otlp.observeCall(CALL);
    await expect.poll(() => otlp.outcomes().sent, { timeout: 20_000 }).toBe(1);
    expect(collector.requests).toHaveLength(2);
  });

  it.each([429, 502, 503, 504, "reset" as const])(
    "that answers %s is asked again with the same spans",
    async (fault) => {
      await using collector = await FakeCollector.start((index) => (index === 0 ? fault : "ok"));
      const otlp = open(collector.url);
      otlp.observeCall(CALL);
      await expect.poll(() => otlp.outcomes().sent, { timeout: 20_000 }).toBe(1);
      const [first, second] = collector.requests;
      expect(second?.spans).toEqual(first?.spans);
      expect(otlp.log.lines.map(({ level }) => level)).toEqual(["warn", "info"]);
    },
  );

  it("that never takes a batch is given up on", async () => {
    await using collector = await FakeCollector.start(() => 503);
    const otlp = open(collector.url);
    otlp.observeCall(CALL);
    await expect.poll(() => otlp.outcomes().given_up, { timeout: 30_000 }).toBe(1);
    expect(collector.requests).toHaveLength(4);
    expect(otlp.log.lines).toHaveLength(1);
  });

  it.each([400, 401, 404, 500, 302])("that answers %s is not asked again", async (status) => {
    await using collector = await FakeCollector.start(() => status);
    const otlp = open(collector.url);
    otlp.observeCall(CALL);
    await expect.poll(() => otlp.outcomes().rejected).toBe(1);
    await otlp.close();
    expect(collector.requests).toHaveLength(1);
  });

  it.each([1, "1"])("that takes a batch in part has the rest counted (%j)", async (rejected) => {
    await using collector = await FakeCollector.start(() => ({ rejected }));
    const otlp = open(collector.url);
    for (let call = 0; call < 3; call++) otlp.observeCall(CALL);
    await expect.poll(() => otlp.outcomes()).toEqual({ sent: 2, rejected: 1, given_up: 0, dropped: 0 });
  });

  it("gets what is left when the daemon stops, in batches", async () => {
    await using collector = await FakeCollector.start();
    const otlp = open(collector.url, {}, { flushMs: 60_000 });
    for (let call = 0; call < 700; call++) otlp.observeCall(CALL);
    await otlp.close();
    expect(collector.requests.map(({ spans }) => spans.length)).toEqual([256, 256, 188]);
    expect(otlp.outcomes()).toEqual({ sent: 700, rejected: 0, given_up: 0, dropped: 0 });
  });
});

describe("the file of headers", () => {
  it("is read before each request, and never logged", async () => {
    await using collector = await FakeCollector.start((index) => (index === 0 ? 503 : "ok"));
    let text = "# of the collector\nAuthorization: Bearer first\n\nx-team:  sre \n";
    const otlp = open(collector.url, { headers_file: "/run/headers" }, { readSecretFile: () => text });
    otlp.observeCall(CALL);
    await collector.until(() => collector.requests.length === 1);
    text = "Authorization: Bearer second";
    await collector.until(() => collector.requests.length === 2);
    expect(collector.requests[0]?.headers).toMatchObject({ authorization: "Bearer first", "x-team": "sre" });
    expect(collector.requests[1]?.headers).toMatchObject({ authorization: "Bearer second" });
    expect(otlp.log.text).not.toContain("Bearer");
  });

  it.each(["CANARY", "Bad CANARY: x", "CANARY:", "a: CANARY\u0001"])(
    "that holds %j is refused at the start",
    (text) => {
      const opening = () => open("http://127.0.0.1:1", { headers_file: "f" }, { readSecretFile: () => text });
      expect(opening).toThrow(/telemetry\.otlp\.headers_file/);
      expect(opening).not.toThrow(/CANARY/);
    },
  );
});

it("no endpoint, no spans", () => {
  const settings = { endpoint: null, headers_file: "f", sample_ratio: 1, timeout_ms: 1, queue: 1 };
  const readSecretFile = () => {
    throw new Error("read");
  };
  const service = { version: "1", instance: "i" };
  const clock = { now: () => 0, monotonic: () => 0 };
  expect(openOtlp(settings, { clock, log: new RecordingLog(), readSecretFile, service })).toBeNull();
});
