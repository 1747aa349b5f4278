import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { silentLog } from "../../src/model/log.ts";
import { type EventSocket, EventStream, readEventQuery } from "../../src/telemetry/event-stream/index.ts";
import { published } from "./published-event.ts";

/** A daemon as far as its event stream goes: stops and starts again on the same port. */
export class EventDaemon {
  stream!: EventStream;
  url = "";
  readonly queries: string[] = [];
  #http!: Server;
  #sockets!: WebSocketServer;
  #port = 0;

  async start(lastSequence = 0, ring = 1_000): Promise<this> {
    this.stream = new EventStream(
      { instance: "t", ring, heartbeatMs: 20_000, subscriberBufferBytes: 1 << 20, lastSequence },
      { clock: { now: () => 0, monotonic: () => performance.now() }, log: silentLog },
    );
    this.#http = createServer();
    this.#sockets = new WebSocketServer({ noServer: true });
    this.#http.on("upgrade", (request, socket, head) => {
      this.queries.push(request.url ?? "");
      try {
        const query = readEventQuery(new URL(request.url ?? "", "http://x").searchParams);
        this.#sockets.handleUpgrade(request, socket, head, (opened) => {
          this.stream.attach(opened as EventSocket, { tenant: null, ...query });
        });
      } catch (error) {
        const body = JSON.stringify({ error: { reason: "invalid_params", message: (error as Error).message } });
        socket.end(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
      }
    });
    await new Promise<void>((resolve) => this.#http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
    this.url = `http://127.0.0.1:${this.#port}`;
    return this;
  }

  publish(from: number, to: number): void {
    for (let sequence = from; sequence <= to; sequence++) {
      this.stream.observe([published("turn.started", { turn: sequence }, { sequence })]);
    }
  }

  /** As kill -9 does it: no goodbye. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.stream.close();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Resolves when all subscribers have read what was sent to them: a ping is answered in its place. */
  async roundTrip(): Promise<void> {
    for (const socket of this.#sockets.clients) {
      const pong = new Promise((resolve) => socket.once("pong", resolve));
      socket.ping();
      await pong;
    }
  }

  cutConnections(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
  }
}
