import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type ContextdClient, type StreamEvent, subscribeEvents } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { asyncApiFindings } from "../support/async-api-findings.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { FakeCollector } from "../support/fake-collector.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;

/** A session whose context fills up until it is edited, and all that else makes events. */
async function work(daemon: { readonly client: ContextdClient }, session_id: string, trace = {}): Promise<void> {
  const call = (method: string, params: JsonObject) => daemon.client.call(method, { session_id, ...params }, trace);
  const task = { goal: "Mend the parser.", success_criteria: ["tests pass"], constraints: ["Never touch main."] };
  await call("session.open", { agent: "filler", model: "gpt-4o", max_context_tokens: 8_192, task });
  for (let turn = 1; turn <= 8; turn++) {
    const asked = { role: "user", content: `Look at part ${turn}. ${"word ".repeat(300)}` };
    await call("on_turn_start", { messages: [asked] });
    const tool_calls = [
      { id: `c${turn}`, type: "function", function: { name: "read", arguments: `{"path":"src/part${turn}.ts"}` } },
    ];
    const message = { role: "assistant", content: null, tool_calls };
    await call("on_turn_end", {
      message,
    });
    const content = `line of part ${turn}\n`.repeat(260);
    await call("on_tool_result", { tool_call_id: `c${turn}`, tool_name: "read", content });
  }
  await call("note.write", { text: "The parser is in src/part1.ts.", category: "learnings" });
  await call("session.close", {});
}

describe("a daemon that is told of a collector", () => {
  it("sends spans of calls and of passes below them, within the caller's trace", async () => {
    using folder = temporaryFolder();
    await using collector = await FakeCollector.start();
    const headers = join(folder.path, "headers");
    writeFileSync(headers, "authorization: Bearer secret\n");
    const env = {
      CONTEXTD_TELEMETRY__OTLP__ENDPOINT: collector.url,
      CONTEXTD_TELEMETRY__OTLP__HEADERS_FILE: headers,
    };
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data"), env });
    await work(daemon, "traced", { traceparent: TRACEPARENT });
    await collector.until(() => collector.spans.some(({ name }) => name === "session.close"));
    expect(collector.findings).toEqual([]);
    expect(collector.requests[0]?.headers).toMatchObject({ authorization: "Bearer secret" });
    const { spans } = collector;
    const passes = spans.filter(({ name }) => name === "compaction");
    expect(passes.length).toBeGreaterThan(0);
    for (const pass of passes) {
      const above = spans.find(({ spanId }) => spanId === pass.parentSpanId);
      expect(above).toMatchObject({ kind: 2, traceId: pass.traceId, name: expect.stringMatching(/^on_/) });
      expect(pass.attributes).toMatchObject({
        "gen_ai.conversation.id": "traced",
        "gen_ai.context.utilization": expect.any(Number),
        "compaction.tokens_before": expect.any(Number),
      });
    }
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toMatch(/contextd_otlp_spans_total\{outcome="sent"\} [1-9]/);
  });

  it("serves hooks as ever while the collector hangs, and stops in time", async () => {
    using folder = temporaryFolder();
    await using collector = await FakeCollector.start(() => "hang");
    const env = { CONTEXTD_TELEMETRY__OTLP__ENDPOINT: collector.url, CONTEXTD_TELEMETRY__OTLP__QUEUE: "8" };
    await using daemon = await DaemonProcess.start({ data: folder.path, env });
    await work(daemon, "s");
    await collector.until(() => collector.requests.length > 0);
    await work(daemon, "t");
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(metrics).toMatch(/contextd_otlp_spans_total\{outcome="dropped"\} [1-9]/);
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0 });
  });
});

describe("/events", () => {
  it("sends what /asyncapi.json says, for all events of a session's life", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const document = (await (await fetch(`${daemon.url}/asyncapi.json`)).json()) as JsonObject;
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/events?types=*,stream.position&since=999999999`);
    const messages: JsonObject[] = [];
    socket.on("message", (data) => messages.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once("message", resolve));
    await work(daemon, "s");
    const isOver = () => messages.some(({ type }) => type === "contextd.session.closed.v1");
    await expect.poll(isOver, { timeout: 20_000 }).toBe(true);
    socket.terminate();
    const findings = messages.flatMap((message) => asyncApiFindings(document, message));
    expect(findings).toEqual([]);
    const types = new Set(messages.map(({ type }) => type));
    expect([...types]).toEqual(expect.arrayContaining(["contextd.stream.resync.v1", "contextd.history.compacted.v1"]));
    expect(types.size).toBeGreaterThan(15);
  });

  it("carries the trace of calls over HTTP and over a WebSocket, and none that is malformed", async () => {
    using folder = temporaryFolder();
    await using daemon = await DaemonProcess.start({ data: folder.path });
    const stop = new AbortController();
    const events = subscribeEvents(daemon.url, { types: ["session.opened"], since: 0 }, { signal: stop.signal });
    const open = (session_id: string) =>
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session.open", params: { session_id, model: "gpt-4o" } });
    const ways: Record<string, string> = {
      good: TRACEPARENT,
      zeros: `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
      words: "x",
    };
    for (const [name, traceparent] of Object.entries(ways)) {
      const headers = { "content-type": "application/json", traceparent };
      await fetch(`${daemon.url}/rpc`, { method: "POST", headers, body: open(`http-${name}`) });
      const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws`, { headers: { traceparent } });
      await new Promise((resolve) => socket.once("open", resolve));
      socket.send(open(`ws-${name}`));
      await new Promise((resolve) => socket.once("message", resolve));
      socket.terminate();
    }
    const traces: Record<string, string | undefined> = {};
    while (Object.keys(traces).length < 6) {
      const { value } = (await events.next()) as { value: StreamEvent };
      traces[value.subject ?? ""] = value.traceparent;
    }
    stop.abort();
    expect(traces).toEqual({
      ...{ "http-good": TRACEPARENT, "ws-good": TRACEPARENT },
      ...{ "http-zeros": undefined, "ws-zeros": undefined, "http-words": undefined, "ws-words": undefined },
    });
  });
});
