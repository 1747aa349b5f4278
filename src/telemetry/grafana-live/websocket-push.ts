import { WebSocket } from "ws";
import { checkHost, type Endpoint } from "./endpoint.ts";
import { asPushError, PushError, refusal } from "./push-error.ts";

export interface WebSocketTimings {
  /** Longest time to connect and be let in, ms. */
  readonly connectMs: number;
  /** Longest time until Grafana has read a push, or answers a heartbeat, ms. */
  readonly answerMs: number;
  /** Silence after which a heartbeat is sent, ms. */
  readonly heartbeatMs: number;
}

/** Grafana sends nothing but control frames. */
const LARGEST_MESSAGE = 4 << 10;

interface Awaited {
  readonly payload: string;
  readonly settle: (error: PushError | null) => void;
}

/**
 * One connection. Grafana acknowledges nothing, but it reads a connection in order and handles a message before it reads
 * on, so each push is followed by a ping: the pong says that the lines were taken. One push at a time; no answer in time
 * ends the connection, so never more than one batch waits in it. In silence a heartbeat does the same.
 */
export class WebSocketPush {
  readonly #socket: WebSocket;
  readonly #timings: WebSocketTimings;
  readonly #onClose: () => void;
  #awaited: Awaited | null = null;
  #sent = 0;
  #deadline: NodeJS.Timeout | null = null;
  #heartbeat: NodeJS.Timeout | null = null;
  #closed = false;

  /** Connects. Rejects with PushError: `refused` and `unauthorized` come from the answer to the upgrade. */
  static async open(
    endpoint: Endpoint,
    timings: WebSocketTimings,
    { signal, onClose }: { readonly signal: AbortSignal; readonly onClose: () => void },
  ): Promise<WebSocketPush> {
    return new WebSocketPush(await connect(endpoint, timings.connectMs, signal), timings, onClose);
  }

  private constructor(socket: WebSocket, timings: WebSocketTimings, onClose: () => void) {
    this.#socket = socket;
    this.#timings = timings;
    this.#onClose = onClose;
    socket.on("pong", (payload: Buffer) => this.#answered(payload.toString("latin1")));
    socket.on("error", () => this.#end(new PushError("unavailable")));
    socket.on("close", () => this.#end(new PushError("unavailable")));
    this.#rest();
  }

  get open(): boolean {
    return !this.#closed;
  }

  /** Resolves when Grafana has read the lines. Rejects with PushError; the connection is over then. */
  push(body: string): Promise<void> {
    return this.#roundTrip(body);
  }

  /** Says goodbye, and waits no longer than `ms` for Grafana's. */
  close(ms: number): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.terminate(), ms);
      this.#socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      this.#socket.close(1000);
    });
  }

  terminate(): void {
    this.#end(new PushError("unavailable"));
  }

  #roundTrip(body: string | null): Promise<void> {
    if (this.#closed) return Promise.reject(new PushError("unavailable"));
    this.#clearTimers();
    const payload = String(++this.#sent);
    this.#deadline = setTimeout(() => this.#end(new PushError("timeout")), this.#timings.answerMs).unref();
    return new Promise((resolve, reject) => {
      this.#awaited = { payload, settle: (error) => (error === null ? resolve() : reject(error)) };
      if (body !== null) this.#socket.send(body, { binary: false }, ignore);
      this.#socket.ping(payload, true, ignore);
    });
  }

  #answered(payload: string): void {
    const awaited = this.#awaited;
    if (awaited?.payload !== payload) return;
    this.#awaited = null;
    this.#clearTimers();
    this.#rest();
    awaited.settle(null);
  }

  #rest(): void {
    const beat = (): void => {
      this.#roundTrip(null).catch(ignore);
    };
    this.#heartbeat = setTimeout(beat, this.#timings.heartbeatMs).unref();
  }

  #end(error: PushError): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#clearTimers();
    this.#socket.terminate();
    this.#awaited?.settle(error);
    this.#awaited = null;
    this.#onClose();
  }

  #clearTimers(): void {
    if (this.#deadline !== null) clearTimeout(this.#deadline);
    if (this.#heartbeat !== null) clearTimeout(this.#heartbeat);
  }
}

/** What fails here fails the connection too, which is where it is told. */
function ignore(): void {}

function connect({ url, headers, lookup }: Endpoint, connectMs: number, signal: AbortSignal): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    checkHost(url);
    const target = new URL(url);
    target.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(target, {
      headers: { ...headers, "user-agent": "contextd" },
      lookup,
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: LARGEST_MESSAGE,
      handshakeTimeout: connectMs,
    });
    socket.on("unexpected-response", (outgoing, response) => {
      reject(refusal(response.statusCode ?? 0));
      response.on("error", ignore);
      outgoing.destroy();
    });
    socket.on("error", (error) =>
      reject(error.message.includes("handshake has timed out") ? new PushError("timeout") : asPushError(error)),
    );
    const stop = (): void => socket.terminate();
    signal.addEventListener("abort", stop, { once: true });
    socket.once("close", () => signal.removeEventListener("abort", stop));
    socket.once("open", () => resolve(socket));
  });
}
