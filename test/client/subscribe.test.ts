import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocketServer } from "ws";
import { type EventFilters, type StreamEvent, type SubscribeOptions, subscribeEvents } from "../../src/client/index.ts";
import { EventDaemon } from "../support/event-daemon.ts";

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function daemon(lastSequence = 0, ring = 1_000): Promise<EventDaemon> {
  const made = await new EventDaemon().start(lastSequence, ring);
  cleanups.push(() => made.kill());
  return made;
}

interface Reader {
  readonly got: StreamEvent[];
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  /** Resolves when that many events have been read. */
  has(count: number): Promise<void>;
  up(): Promise<void>;
}

function read(url: string, filters: EventFilters = {}, options: SubscribeOptions = {}): Reader {
  const stop = new AbortController();
  const got: StreamEvent[] = [];
  let links = 0;
  let check = (): void => {};
  const until = (met: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      check = () => (met() ? resolve() : undefined);
      check();
    });
  const ended = (async () => {
    const onLink = (link: { up: boolean }): void => {
      if (link.up) links++;
      check();
    };
    const subscription = { backoff: { firstMs: 5, longestMs: 20 }, signal: stop.signal, onLink, ...options };
    for await (const event of subscribeEvents(url, filters, subscription)) {
      got.push(event);
      check();
    }
  })();
  cleanups.push(async () => {
    stop.abort();
    await ended.catch(() => {});
  });
  return { got, stop, ended, has: (count) => until(() => got.length >= count), up: () => until(() => links > 0) };
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
const sequences = (reader: Reader): number[] => reader.got.map((event) => event.sequence);

describe("a subscription", () => {
  it("gives events as they are published, and asks for what it filters by", async () => {
    const d = await daemon();
    const reader = read(d.url, { types: ["turn.started"], session: "s1" });
    await reader.up();
    await expect.poll(() => d.stream.stats().clients).toBe(1);
    d.publish(1, 5);
    await reader.has(5);
    expect(sequences(reader)).toEqual(range(1, 5));
    expect(d.queries[0]).toContain("types=turn.started%2Cstream.position&session=s1");
  });

  it("has no gap and no repetition over random disconnects", async () => {
    const d = await daemon();
    d.publish(1, 1);
    const reader = read(d.url, { since: 0 });
    await reader.has(1);
    for (let at = 1; at < 400; at += 40) {
      d.publish(at + 1, at + 40);
      if (at % 3 !== 0) d.cutConnections();
      await reader.has(at + 20);
    }
    await reader.has(401);
    expect(sequences(reader)).toEqual(range(1, 401));
  });

  it("without a cursor loses nothing when it is cut before the first event", async () => {
    const d = await daemon(100);
    const reader = read(d.url);
    await reader.up();
    await expect.poll(() => d.stream.stats().clients).toBe(1);
    await d.roundTrip();
    d.cutConnections();
    d.publish(101, 103);
    await reader.has(3);
    expect(sequences(reader)).toEqual([101, 102, 103]);
    expect(d.queries[1]).toContain("since=100");
  });

  it("goes on over a restart of the daemon, without a resync when it had seen everything", async () => {
    const d = await daemon();
    d.publish(1, 10);
    const reader = read(d.url, { since: 0 });
    await reader.has(10);
    await d.kill();
    await d.start(10);
    d.publish(11, 12);
    await reader.has(12);
    expect(sequences(reader)).toEqual(range(1, 12));
  });

  it("is told when events were lost for good, and goes on behind them", async () => {
    const d = await daemon();
    d.publish(1, 10);
    const reader = read(d.url, { since: 0 });
    await reader.has(10);
    await d.kill();
    await d.start(15);
    await reader.has(11);
    d.publish(16, 17);
    await reader.has(13);
    expect(reader.got[10]).toMatchObject({ type: "contextd.stream.resync.v1", data: { reason: "too_old" } });
    expect(sequences(reader).slice(11)).toEqual([16, 17]);
  });

  it("starts anew on a daemon with another store, whose sequences are lower", async () => {
    const d = await daemon();
    d.publish(1, 10);
    const reader = read(d.url, { since: 0 });
    await reader.has(10);
    await d.kill();
    await d.start(2);
    await reader.has(11);
    d.publish(3, 3);
    await reader.has(12);
    expect(reader.got[10]).toMatchObject({ type: "contextd.stream.resync.v1", data: { reason: "ahead" } });
    expect(reader.got[11]?.sequence).toBe(3);
  });

  it("ends when its signal is aborted, connected or not", async () => {
    const d = await daemon();
    const connected = read(d.url);
    await connected.up();
    connected.stop.abort();
    await connected.ended;
    const refused = read("http://127.0.0.1:9", {}, { backoff: { firstMs: 60_000, longestMs: 60_000 } });
    refused.stop.abort();
    await refused.ended;
  });

  it("throws when the daemon refuses the filter, and does not try again", async () => {
    const d = await daemon();
    const reader = read(d.url, { types: ["zone.chnged"] });
    await expect(reader.ended).rejects.toThrow(/no event of type "zone.chnged"/);
    expect(d.queries).toHaveLength(1);
  });

  it("throws when the daemon refuses the token", async () => {
    const http = createServer();
    http.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n"));
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    cleanups.push(() => new Promise((resolve) => http.close(() => resolve())));
    const reader = read(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
    await expect(reader.ended).rejects.toThrow(/refused the event stream: HTTP 401/);
  });

  it("takes a daemon for gone that is silent, pings included", async () => {
    const http = createServer();
    const sockets = new WebSocketServer({ server: http });
    let connections = 0;
    sockets.on("connection", () => connections++);
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    cleanups.push(async () => {
      for (const socket of sockets.clients) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    });
    read(`http://127.0.0.1:${(http.address() as AddressInfo).port}`, {}, { silenceMs: 30 });
    await expect.poll(() => connections).toBeGreaterThan(1);
  });
});
