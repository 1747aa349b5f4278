import type { WebSocket } from "ws";
import type { Log } from "../model/log.ts";
import { type Dispatcher, faultFields } from "../rpc/dispatcher.ts";
import { RequestContext } from "./request-context.ts";
import type { UpgradedRequest } from "./upgrades.ts";

export interface RpcSocketOptions {
  /** Calls (or batches) of one connection that run at a time. */
  readonly maxInFlight: number;
  /** Bytes of replies that may wait before no further message is taken. */
  readonly bufferBytes: number;
}

/**
 * JSON-RPC over one WebSocket, each message one request or batch, text or binary alike. Replies come as calls finish.
 * While `maxInFlight` messages are in hand or the peer does not read its replies, no more are read from the socket:
 * the sender feels it as back-pressure, and one that never reads is ended by the hub's keep-alive.
 */
export class RpcSocket {
  readonly #socket: WebSocket;
  readonly #options: RpcSocketOptions;
  readonly #dispatcher: Dispatcher;
  readonly #log: Log;
  readonly #context: RequestContext;
  /** Messages that had arrived when the socket was paused: at most what one read from the kernel held. */
  readonly #arrived: Buffer[] = [];
  #inFlight = 0;
  #whenQuiet: (() => void) | null = null;

  constructor(
    socket: WebSocket,
    request: UpgradedRequest,
    options: RpcSocketOptions,
    dependencies: { readonly dispatcher: Dispatcher; readonly log: Log },
  ) {
    this.#socket = socket;
    this.#options = options;
    this.#dispatcher = dependencies.dispatcher;
    this.#log = dependencies.log;
    this.#context = new RequestContext("websocket", request.principal, request.traceparent);
    socket.on("message", (data) => {
      this.#arrived.push(data as Buffer);
      this.#take();
    });
    socket.on("close", () => {
      this.#arrived.length = 0;
      this.#context.abort();
      this.#settleIfQuiet();
    });
  }

  /** Resolves when every message that has arrived is answered. */
  quiet(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenQuiet = resolve;
      this.#settleIfQuiet();
    });
  }

  #take(): void {
    while (this.#hasRoom()) {
      const next = this.#arrived.shift();
      if (next === undefined) break;
      this.#inFlight++;
      void this.#serve(next);
    }
    if (this.#hasRoom() === this.#socket.isPaused) {
      if (this.#socket.isPaused) this.#socket.resume();
      else this.#socket.pause();
    }
  }

  #hasRoom(): boolean {
    return this.#inFlight < this.#options.maxInFlight && this.#socket.bufferedAmount <= this.#options.bufferBytes;
  }

  async #serve(message: Buffer): Promise<void> {
    try {
      const { text } = await this.#dispatcher.dispatch(message, this.#context);
      if (text !== null) this.#send(text);
    } catch (error) {
      this.#log.error(faultFields(error), "a WebSocket message failed unexpectedly");
      this.#socket.close(1011);
    } finally {
      this.#inFlight--;
      this.#take();
      this.#settleIfQuiet();
    }
  }

  #send(text: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(text, () => this.#take());
  }

  #settleIfQuiet(): void {
    if (this.#inFlight === 0 && this.#arrived.length === 0) this.#whenQuiet?.();
  }
}
