import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type StreamEvent, subscribeEvents } from "../../src/client/index.ts";
import type { PublishedEvent } from "../../src/model/events.ts";
import { silentLog } from "../../src/model/log.ts";
import {
  type EventSocket,
  EventStream,
  readEventQuery,
  SLOW_CONSUMER,
} from "../../src/telemetry/event-stream/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { published } from "../support/published-event.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const MIB = 1 << 20;

/** The stream over real sockets. `bufferBytes` Infinity is the daemon with the fault: no limit on what may wait. */
async function servedStream(bufferBytes: number): Promise<{ stream: EventStream; url: string }> {
  const stream = new EventStream(
    { instance: "t", ring: 16_384, heartbeatMs: 60_000, subscriberBufferBytes: bufferBytes, lastSequence: 0 },
    { clock: { now: () => Date.now(), monotonic: () => performance.now() }, log: silentLog },
  );
  const http = createServer();
  const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });
  sockets.on("connection", (socket, request) => {
    const query = readEventQuery(new URL(request.url ?? "", "http://x").searchParams);
    stream.attach(socket as EventSocket, { tenant: null, ...query });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", 4_096, resolve));
  cleanups.push(async () => {
    stream.close();
    for (const socket of sockets.clients) socket.terminate();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return { stream, url: `ws://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

interface Reader {
  readonly socket: WebSocket;
  readonly sequences: number[];
  closed: { code: number; reason: string } | null;
}

async function subscribe(url: string, types: string): Promise<Reader> {
  const socket = new WebSocket(`${url}/?types=${types}`, { perMessageDeflate: false });
  const reader: Reader = { socket, sequences: [], closed: null };
  socket.on("message", (data) => {
    // Parsing 20 MB for each of the readers would measure the test: the sequence stands in the first bytes.
    const sequence = /"sequence":(\d+)/.exec((data as Buffer).subarray(0, 400).toString())?.[1];
    reader.sequences.push(Number(sequence));
  });
  socket.on("close", (code, reason) => {
    reader.closed = { code, reason: reason.toString() };
  });
  cleanups.push(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return reader;
}

async function subscribeMany(url: string, types: string, count: number): Promise<Reader[]> {
  const readers: Reader[] = [];
  while (readers.length < count) {
    const batch = Math.min(50, count - readers.length);
    readers.push(...(await Promise.all(Array.from({ length: batch }, () => subscribe(url, types)))));
  }
  return readers;
}

const FILLER = "x".repeat(100_000);

/** Event n of the run: every one has a twin of 100 KB, so that 200 of them are 20 MB. */
function pair(n: number): PublishedEvent[] {
  return [
    published("turn.started", { turn: n }, { sequence: 2 * n - 1 }),
    published("session.configured", { settings: { filler: FILLER } }, { sequence: 2 * n }),
  ];
}

async function publish(stream: EventStream, pairs: number, healthy: readonly Reader[]): Promise<void> {
  for (let n = 1; n <= pairs; n++) {
    stream.observe(pair(n));
    // As fast as the slowest healthy reader takes it.
    await expect
      .poll(() => healthy.every((reader) => reader.sequences.at(-1) === 2 * n), { interval: 1, timeout: 20_000 })
      .toBe(true);
  }
}

describe("1,000 subscribers, 50 of which do not read", () => {
  it("lose the slow ones at 1 MiB, with the reason, and no healthy one misses an event", async () => {
    const { stream, url } = await servedStream(MIB);
    const everything = await subscribeMany(url, "*", 10);
    const turns = await subscribeMany(url, "turn.*", 940);
    const slow = await subscribeMany(url, "*", 50);
    await expect.poll(() => stream.stats().clients).toBe(1_000);
    for (const { socket } of slow) socket.pause();
    const before = process.memoryUsage().external + process.memoryUsage().arrayBuffers;
    let peak = 0;
    const timer = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().external + process.memoryUsage().arrayBuffers - before);
    }, 10);
    await publish(stream, 200, everything);
    clearInterval(timer);
    await expect.poll(() => turns.every((reader) => reader.sequences.length === 200), { timeout: 20_000 }).toBe(true);

    const all = Array.from({ length: 400 }, (_, i) => i + 1);
    for (const reader of everything) expect(reader.sequences).toEqual(all);
    for (const reader of turns) expect(reader.sequences).toEqual(all.filter((sequence) => sequence % 2 === 1));
    expect(stream.stats()).toMatchObject({ clients: 950, evicted: 50 });
    // 1 MiB each, the ring's one copy of 20 MB, and room for the collector to be late.
    expect(peak).toBeLessThan(50 * 2 * MIB + 2 * 20 * MIB + 100 * MIB);

    // One that reads on finds what had been sent, in order, and then the reason.
    const late = slow[0] as Reader;
    late.socket.resume();
    await expect.poll(() => late.closed).not.toBeNull();
    if (late.closed?.code === SLOW_CONSUMER)
      expect(late.closed.reason).toMatch(/^slow consumer: over 1048576 bytes unsent/);
    expect(late.sequences).toEqual(all.slice(0, late.sequences.length));
  });

  it("hold all that was ever published where there is no limit: the check can fail", async () => {
    const { stream, url } = await servedStream(Number.POSITIVE_INFINITY);
    const healthy = await subscribeMany(url, "*", 1);
    const slow = await subscribeMany(url, "*", 1);
    await expect.poll(() => stream.stats().clients).toBe(2);
    (slow[0] as Reader).socket.pause();
    await publish(stream, 200, healthy);
    expect(stream.stats()).toMatchObject({ clients: 2, evicted: 0 });
  });
});

/** Passes connections on to whatever daemon is up, and can cut them all. */
class CuttingProxy {
  target = 0;
  port = 0;
  readonly #open = new Set<Socket>();

  async start(): Promise<this> {
    const server = createTcpServer((client) => {
      const upstream = connect(this.target, "127.0.0.1");
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.#open.add(from);
        from.on("error", () => to.destroy());
        from.on("close", () => {
          this.#open.delete(from);
          to.destroy();
        });
        from.pipe(to);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    this.port = (server.address() as AddressInfo).port;
    cleanups.push(async () => {
      this.cut();
      await new Promise((resolve) => server.close(resolve));
    });
    return this;
  }

  cut(): void {
    for (const socket of this.#open) socket.destroy();
  }
}

describe("a subscriber through disconnects and kill -9", () => {
  it("sees every event once and in order, or is told that some are gone", async () => {
    using folder = temporaryFolder();
    const proxy = await new CuttingProxy().start();
    let daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    cleanups.push(() => daemon[Symbol.asyncDispose]());
    proxy.target = daemon.port;

    const got: StreamEvent[] = [];
    const stop = new AbortController();
    let links = 0;
    const reading = (async () => {
      const options = { signal: stop.signal, backoff: { firstMs: 5, longestMs: 50 }, onLink: () => links++ };
      for await (const event of subscribeEvents(`http://127.0.0.1:${proxy.port}`, {}, options)) got.push(event);
    })();
    cleanups.push(async () => {
      stop.abort();
      await reading;
    });
    await expect.poll(() => links).toBeGreaterThan(0);

    const read = (type: string, turn: number) =>
      expect
        .poll(() => got.some((event) => event.type === type && event.data["turn"] === turn), { timeout: 20_000 })
        .toBe(true);
    const KILLS = 3;
    let turn = 0;
    await daemon.client.mutate("session.open", { session_id: "s", agent: "a", model: "gpt-4o" });
    for (let life = 0; life <= KILLS; life++) {
      for (let i = 0; i < 12; i++) {
        turn++;
        const messages = [{ role: "user", content: `Step ${turn}.` }];
        await daemon.client.mutate("on_turn_start", { session_id: "s", messages });
        await daemon.client.mutate("on_turn_end", {
          session_id: "s",
          message: { role: "assistant", content: "Done." },
        });
        if (i % 4 === life % 4) proxy.cut();
      }
      await read("contextd.turn.ended.v1", turn);
      if (life === KILLS) break;
      await daemon.kill("SIGKILL");
      proxy.cut();
      daemon = await daemon.restart();
      const resyncs = got.filter((event) => event.type === "contextd.stream.resync.v1").length;
      proxy.target = daemon.port;
      // The subscriber is back before the next hook: it has said that it is, or was told to read anew.
      await expect
        .poll(() => got.filter((event) => event.type === "contextd.stream.resync.v1").length, { timeout: 20_000 })
        .toBe(resyncs + 1);
    }

    let gaps = 0;
    for (const [i, event] of got.entries()) {
      const before = got[i - 1];
      if (before === undefined || event.type === "contextd.stream.resync.v1") continue;
      expect(event.sequence).toBeGreaterThan(before.sequence);
      if (event.sequence !== before.sequence + 1) gaps++;
    }
    expect(gaps).toBe(0);
    const turns = got.filter((event) => event.type === "contextd.turn.ended.v1").map((event) => event.data["turn"]);
    expect(turns).toEqual(Array.from({ length: turn }, (_, i) => i + 1));
  });
});
