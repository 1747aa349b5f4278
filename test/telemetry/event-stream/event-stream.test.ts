import { afterEach, describe, expect, it, vi } from "vitest";
import type { EventType, PublishedEvent } from "../../../src/model/events.ts";
import { silentLog } from "../../../src/model/log.ts";
import {
  EVENT_MEANINGS,
  EventStream,
  readEventQuery,
  SLOW_CONSUMER,
  type Subscription,
} from "../../../src/telemetry/event-stream/index.ts";
import { published } from "../../support/published-event.ts";
import { FakeSocket } from "./fake-socket.ts";

const ALL: Subscription = { tenant: null, types: null, session: null, since: null };

const streams: EventStream[] = [];
function stream(over: { ring?: number; lastSequence?: number; bufferBytes?: number } = {}): EventStream {
  const made = new EventStream(
    {
      instance: "test",
      ring: over.ring ?? 100,
      heartbeatMs: 20_000,
      subscriberBufferBytes: over.bufferBytes ?? 1 << 20,
      lastSequence: over.lastSequence ?? 0,
    },
    { clock: { now: () => 1_000, monotonic: () => performance.now() }, log: silentLog },
  );
  streams.push(made);
  return made;
}
afterEach(() => {
  vi.useRealTimers();
  for (const made of streams.splice(0)) made.close();
});

function turns(from: number, to: number, over: Partial<Omit<PublishedEvent, "type" | "data">> = {}): PublishedEvent[] {
  return Array.from({ length: to - from + 1 }, (_, i) =>
    published("turn.started", { turn: from + i }, { sequence: from + i, ...over }),
  );
}

/** Lets the stream's own turns of the event loop pass, until nothing more is sent. */
async function settled(socket: FakeSocket): Promise<void> {
  for (let before = -1; before !== socket.sent.length; ) {
    before = socket.sent.length;
    for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("the wire form", () => {
  it("is a CloudEvent with the session as subject and flat data", async () => {
    const events = stream();
    const socket = new FakeSocket();
    events.attach(socket, ALL);
    events.observe([
      published(
        "status.changed",
        { from: "healthy", to: "preparing" },
        { sequence: 9, traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" },
      ),
    ]);
    await settled(socket);
    expect(socket.messages).toEqual([
      {
        specversion: "1.0",
        id: "9",
        source: "/contextd/test",
        type: "contextd.status.changed.v1",
        subject: "s1",
        time: "2025-11-21T14:02:11.000Z",
        datacontenttype: "application/json",
        sequence: 9,
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        tenant: "default",
        agent: "code-fix",
        profile: "default-128k",
        model: "gpt-4o",
        data: { from: "healthy", to: "preparing" },
      },
    ]);
  });

  it("holds none of the agent's words", async () => {
    const events = stream();
    const socket = new FakeSocket();
    events.attach(socket, ALL);
    const canary = "CANARY-7c21";
    events.observe([
      published("session.opened", {
        agent: "a",
        profile: "p",
        model: "m",
        message_format: "openai",
        max_context_tokens: 8_000,
        window_guessed: false,
        window_source: { from: "session", at: null },
        task: { goal: canary, success_criteria: [canary], constraints: [canary] },
        settings: {},
        can_recall: true,
        parent: null,
      }),
      published("message.added", {
        message_id: "m1",
        role: "user",
        turn: 1,
        envelope: { name: canary },
        source: "agent",
        overhead_tokens: 4,
        digest: "00",
      }),
      published("block.added", {
        block_id: "b1",
        message_id: "m1",
        unit_id: 1,
        type: "tool_result",
        turn: 1,
        tool: { callId: "call_1", name: "grep", argumentsText: canary },
        hash: "00",
        tokens: 10,
        approximate: false,
      }),
    ]);
    await settled(socket);
    expect(Buffer.concat(socket.sent).toString()).not.toContain(canary);
    expect(socket.messages.map((m) => m.data)).toMatchObject([
      { has_task: true },
      { message_id: "m1" },
      { tool_name: "grep", tool_call_id: "call_1" },
    ]);
  });

  it("is made once for all subscribers, and not at all for none", async () => {
    const events = stream();
    const event = published("turn.started", { turn: 1 });
    let reads = 0;
    Object.defineProperty(event, "data", {
      get: () => {
        reads++;
        return { turn: 1 };
      },
    });
    events.observe([event]);
    expect(reads).toBe(0);
    const sockets = Array.from({ length: 10 }, () => new FakeSocket());
    for (const socket of sockets) events.attach(socket, { ...ALL, since: 0 });
    await settled(sockets[9] as FakeSocket);
    expect(reads).toBe(1);
    expect(new Set(sockets.map((socket) => socket.sent[0])).size).toBe(1);
  });
});

describe("a subscription", () => {
  it("begins with the next event when it has no cursor", async () => {
    const events = stream();
    events.observe(turns(1, 5));
    const socket = new FakeSocket();
    events.attach(socket, ALL);
    events.observe(turns(6, 8));
    await settled(socket);
    expect(socket.sequences).toEqual([6, 7, 8]);
  });

  it("resumes behind its cursor without a gap or a repetition while events go on", async () => {
    const events = stream({ ring: 5_000 });
    events.observe(turns(1, 3_000));
    const socket = new FakeSocket();
    events.attach(socket, { ...ALL, since: 1_000 });
    for (let i = 3_001; i <= 3_100; i++) {
      events.observe(turns(i, i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settled(socket);
    expect(socket.sequences).toEqual(Array.from({ length: 2_100 }, (_, i) => 1_001 + i));
  });

  it("is told when its cursor is too old, and goes on from now", async () => {
    const events = stream({ ring: 10 });
    events.observe(turns(1, 30));
    const socket = new FakeSocket();
    events.attach(socket, { ...ALL, since: 5 });
    events.observe(turns(31, 31));
    await settled(socket);
    expect(socket.messages[0]).toMatchObject({
      type: "contextd.stream.resync.v1",
      sequence: 30,
      data: { reason: "too_old", requested_sequence: 5, oldest_sequence: 20, last_sequence: 30 },
    });
    expect(socket.sequences).toEqual([31]);
  });

  it("is served from the oldest cursor that leaves no gap", async () => {
    const events = stream({ ring: 10 });
    events.observe(turns(1, 30));
    const socket = new FakeSocket();
    events.attach(socket, { ...ALL, since: 20 });
    await settled(socket);
    expect(socket.sequences).toEqual([21, 22, 23, 24, 25, 26, 27, 28, 29, 30]);
  });

  it("needs no resync over a restart when it had seen everything", async () => {
    const events = stream({ lastSequence: 500 });
    const [current, behind, ahead] = [new FakeSocket(), new FakeSocket(), new FakeSocket()];
    events.attach(current, { ...ALL, since: 500 });
    events.attach(behind, { ...ALL, since: 499 });
    events.attach(ahead, { ...ALL, since: 501 });
    events.observe(turns(501, 501));
    await settled(current);
    expect(current.messages.map((m) => m.type)).toEqual(["contextd.turn.started.v1"]);
    expect(behind.messages[0]).toMatchObject({ type: "contextd.stream.resync.v1", data: { reason: "too_old" } });
    expect(ahead.messages[0]).toMatchObject({ type: "contextd.stream.resync.v1", data: { reason: "ahead" } });
  });

  it("sees its own tenant's events only; an admin sees all, and those of the daemon", async () => {
    const events = stream();
    const [acme, admin] = [new FakeSocket(), new FakeSocket()];
    events.attach(acme, { ...ALL, tenant: "acme" });
    events.attach(admin, ALL);
    events.observe([
      ...turns(1, 1, { tenant: "acme" }),
      ...turns(2, 2, { tenant: "other" }),
      published(
        "config.reloaded",
        { successful: true, detail: "" },
        { sequence: 3, tenant: "acme", session: null, labels: null },
      ),
    ]);
    await settled(admin);
    expect(acme.sequences).toEqual([1]);
    expect(admin.sequences).toEqual([1, 2, 3]);
  });

  it("is filtered by session, type and family of types", async () => {
    const events = stream();
    const [bySession, byType, byFamily] = [new FakeSocket(), new FakeSocket(), new FakeSocket()];
    events.attach(bySession, { ...ALL, session: "s2" });
    events.attach(byType, { ...ALL, types: ["block.pinned"] });
    events.attach(byFamily, { ...ALL, types: ["block.*"] });
    events.observe([
      ...turns(1, 1),
      ...turns(2, 2, { session: "s2" }),
      published("block.pinned", { block_id: "b1" }, { sequence: 3 }),
      published("block.unpinned", { block_id: "b1" }, { sequence: 4 }),
    ]);
    await settled(byFamily);
    expect([bySession.sequences, byType.sequences, byFamily.sequences]).toEqual([[2], [3], [3, 4]]);
  });

  it("that asks for positions is given one at its start and at each heartbeat, never past events still to come", async () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const events = stream();
    events.observe(turns(1, 4));
    const socket = new FakeSocket();
    events.attach(socket, { ...ALL, types: ["zone.changed", "stream.position"] });
    expect(socket.messages).toMatchObject([{ type: "contextd.stream.position.v1", sequence: 4 }]);
    events.observe(turns(5, 5));
    vi.advanceTimersByTime(20_000);
    expect(socket.sent).toHaveLength(1);
    await settled(socket);
    socket.emit("pong");
    vi.advanceTimersByTime(20_000);
    expect(socket.messages.at(-1)).toMatchObject({ type: "contextd.stream.position.v1", sequence: 5 });
  });
});

describe("a slow subscriber", () => {
  it("is cut off with a stated reason once too much waits for it, and the others get everything", async () => {
    const events = stream({ bufferBytes: 20_000 });
    const [slow, healthy] = [new FakeSocket(), new FakeSocket()];
    events.attach(slow, ALL);
    events.attach(healthy, ALL);
    slow.paused = true;
    for (let i = 1; i <= 100; i++) {
      events.observe(turns(i, i));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settled(healthy);
    expect(slow.closedWith?.code).toBe(SLOW_CONSUMER);
    expect(slow.closedWith?.reason).toMatch(/slow consumer/);
    expect(Buffer.byteLength(slow.closedWith?.reason ?? "")).toBeLessThanOrEqual(123);
    expect(slow.bufferedAmount).toBeLessThan(21_000);
    expect(healthy.sequences).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
    expect(events.stats()).toMatchObject({ clients: 1, evicted: 1 });
    // What is sent and what is dropped is what was published, at the moment of the cut.
    expect(slow.sequences).toEqual(Array.from({ length: slow.sent.length }, (_, i) => i + 1));
  });

  it("that catches up is fed only as fast as it takes, and is not cut off for it", async () => {
    const events = stream({ ring: 1_000, bufferBytes: 20_000 });
    events.observe(turns(1, 900));
    const socket = new FakeSocket();
    socket.paused = true;
    events.attach(socket, { ...ALL, since: 0 });
    for (let i = 0; i < 400 && socket.sequences.length < 900; i++) {
      expect(socket.bufferedAmount).toBeLessThan(20_000);
      socket.drain();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(socket.closedWith).toBeNull();
    expect(socket.sequences).toEqual(Array.from({ length: 900 }, (_, i) => i + 1));
  });

  it("that the ring overtakes while it catches up is cut off and told so", async () => {
    const events = stream({ ring: 50, bufferBytes: 4_000 });
    events.observe(turns(1, 50));
    const socket = new FakeSocket();
    socket.paused = true;
    events.attach(socket, { ...ALL, since: 0 });
    events.observe(turns(51, 200));
    socket.drain();
    await settled(socket);
    expect(socket.closedWith).toMatchObject({ code: SLOW_CONSUMER, reason: expect.stringMatching(/fell behind/) });
    expect(events.stats()).toMatchObject({ clients: 0, evicted: 1, dropped: 50 });
  });

  it("that answers no ping is torn down at the next heartbeat", () => {
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const events = stream();
    const [dead, alive] = [new FakeSocket(), new FakeSocket()];
    events.attach(dead, ALL);
    events.attach(alive, ALL);
    vi.advanceTimersByTime(20_000);
    alive.emit("pong");
    vi.advanceTimersByTime(20_000);
    expect([dead.terminated, alive.terminated]).toEqual([true, false]);
    expect(events.stats().clients).toBe(1);
  });
});

describe("the emitter", () => {
  it("is never held up: observing sends nothing by itself", async () => {
    const events = stream();
    const socket = new FakeSocket();
    events.attach(socket, ALL);
    events.observe(turns(1, 10));
    expect(socket.sent).toHaveLength(0);
    await settled(socket);
    expect(socket.sent).toHaveLength(10);
  });

  it("goes on when a subscriber's socket fails", async () => {
    const events = stream();
    const [broken, healthy] = [new FakeSocket(), new FakeSocket()];
    events.attach(broken, ALL);
    events.attach(healthy, ALL);
    broken.emit("error");
    broken.emit("close");
    events.observe(turns(1, 3));
    await settled(healthy);
    expect(broken.sent).toHaveLength(0);
    expect(healthy.sequences).toEqual([1, 2, 3]);
    expect(events.stats().clients).toBe(1);
  });

  it("says goodbye to all when the daemon goes, after what it had published", () => {
    const events = stream();
    const socket = new FakeSocket();
    events.attach(socket, ALL);
    events.observe(turns(1, 3));
    events.close();
    expect(socket.sequences).toEqual([1, 2, 3]);
    expect(socket.closedWith?.code).toBe(1001);
    const late = new FakeSocket();
    events.attach(late, ALL);
    expect(late.closedWith?.code).toBe(1001);
  });
});

describe("the query of /events", () => {
  it("is read into a subscription", () => {
    const query = readEventQuery(new URLSearchParams("types=zone.changed,block.*&session=s1&since=42"));
    expect(query).toEqual({ types: ["zone.changed", "block.*"], session: "s1", since: 42 });
    expect(readEventQuery(new URLSearchParams())).toEqual({ types: null, session: null, since: null });
  });

  it.each(["types=zone.chnged", "types=nothing.*", "since=-1", "since=x", "since=", "since=1e3"])(
    "%s is refused by name",
    (text) => {
      expect(() => readEventQuery(new URLSearchParams(text))).toThrow(
        expect.objectContaining({
          reason: "invalid_params",
          data: expect.objectContaining({ path: text.split("=")[0] }),
        }),
      );
    },
  );

  it("takes every event type there is", () => {
    for (const type of Object.keys(EVENT_MEANINGS) as EventType[]) {
      expect(readEventQuery(new URLSearchParams({ types: type })).types).toEqual([type]);
    }
  });
});
