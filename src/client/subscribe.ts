import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { type Backoff, backoffMs, pause } from "./backoff.ts";

/** A message of `/events`: the CloudEvents envelope, its own fields first. See docs/events.md. */
export interface StreamEvent {
  readonly type: string;
  readonly sequence: number;
  readonly time: string;
  /** Session id; absent for events of the daemon itself. */
  readonly subject?: string;
  readonly tenant?: string;
  readonly agent?: string;
  readonly profile?: string;
  readonly model?: string;
  readonly traceparent?: string;
  readonly data: JsonObject;
}

export interface EventFilters {
  /** `zone.changed`, or a family as `block.*`; none: all types. */
  readonly types?: readonly string[];
  readonly session?: string;
  /** Sequence of the last event seen; without it the stream begins with the next event. */
  readonly since?: number;
}

export interface SubscribeOptions {
  readonly token?: string;
  readonly signal?: AbortSignal;
  readonly backoff?: Backoff;
  /** Silence, pings included, after which the connection is taken for dead, milliseconds. */
  readonly silenceMs?: number;
  readonly random?: () => number;
  /** Told when a connection is open, and when it was lost, why, and when the next attempt is. */
  readonly onLink?: (link: { readonly up: true } | LinkDown) => void;
}

interface LinkDown {
  readonly up: false;
  readonly reason: string;
  readonly retryInMs: number;
}

const POSITION = "contextd.stream.position.v1";
const DEFAULT_BACKOFF: Backoff = { firstMs: 250, longestMs: 10_000 };
/** The daemon pings every 20 s by default. */
const DEFAULT_SILENCE_MS = 65_000;
/** Unread events at which reading from the network stops; the daemon then cuts the connection in its own time. */
const READ_AHEAD = 1_000;

/** Close code with which the daemon withdraws a token. */
const POLICY = 1008;
const LONGEST_REFUSAL = 16_384;

/** The daemon will never accept this subscription as it is: wrong token, address or filter. */
export class SubscriptionRefused extends Error {
  constructor(why: string) {
    super(`the daemon refused the event stream: ${why}`);
    this.name = "SubscriptionRefused";
  }
}

/**
 * The events of a daemon, for ever: it reconnects with back-off, resumes behind the last event it gave out, and gives
 * each event once and in order. Where events were missed for good, it gives a `contextd.stream.resync.v1` message: read
 * the state anew then. Ends when the signal is aborted; throws SubscriptionRefused when trying again is of no use.
 */
export async function* subscribeEvents(
  url: string,
  filters: EventFilters = {},
  options: SubscribeOptions = {},
): AsyncGenerator<StreamEvent, void, undefined> {
  const { signal } = options;
  const cursor: Cursor = { sequence: filters.since };
  for (let attempt = 1; !isAborted(signal); attempt++) {
    const connection = new Connection(addressOf(url, filters, cursor.sequence), options);
    try {
      for await (const event of connection.events()) {
        attempt = 0;
        if (event.type === POSITION) cursor.sequence = Math.max(cursor.sequence ?? 0, event.sequence);
        else if (isNew(event, cursor)) yield event;
      }
    } finally {
      connection.end();
    }
    if (isAborted(signal)) return;
    const retryInMs = backoffMs(
      options.backoff ?? DEFAULT_BACKOFF,
      Math.max(1, attempt),
      options.random ?? Math.random,
    );
    options.onLink?.({ up: false, reason: connection.reason, retryInMs });
    const wentOn = await pause(retryInMs, signal).then(
      () => true,
      () => false,
    );
    if (!wentOn) return;
  }
}

/** A function, since the signal changes while the generator is suspended. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

interface Cursor {
  sequence: number | undefined;
}

/** Moves the cursor. A resync may set it back: the daemon's store is another one then. */
function isNew(event: StreamEvent, cursor: Cursor): boolean {
  const isResync = event.type === "contextd.stream.resync.v1";
  if (!isResync && cursor.sequence !== undefined && event.sequence <= cursor.sequence) return false;
  cursor.sequence = event.sequence;
  return true;
}

function addressOf(url: string, filters: EventFilters, since: number | undefined): string {
  const address = new URL(`${url.replace(/\/+$/, "")}/events`);
  address.protocol = address.protocol.replace("http", "ws");
  // The positions keep the cursor moving where filters let little through.
  const types = filters.types === undefined || filters.types.length === 0 ? ["*"] : filters.types;
  address.searchParams.set("types", [...types, "stream.position"].join(","));
  if (filters.session !== undefined) address.searchParams.set("session", filters.session);
  if (since !== undefined) address.searchParams.set("since", String(since));
  return address.href;
}

/** One WebSocket, as an async iterable that ends when the connection does. */
class Connection {
  reason = "the connection was closed";
  readonly #socket: WebSocket;
  readonly #silenceMs: number;
  readonly #queue: StreamEvent[] = [];
  readonly #stop: () => void;
  readonly #signal: AbortSignal | undefined;
  #refused: SubscriptionRefused | null = null;
  #closed = false;
  #wake: (() => void) | null = null;
  #silence: NodeJS.Timeout | undefined;

  constructor(address: string, options: SubscribeOptions) {
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS;
    this.#signal = options.signal;
    const socket = new WebSocket(address, {
      ...(options.token === undefined ? {} : { headers: { authorization: `Bearer ${options.token}` } }),
      handshakeTimeout: 10_000,
      perMessageDeflate: false,
      followRedirects: false,
    });
    this.#socket = socket;
    this.#stop = () => this.end();
    this.#signal?.addEventListener("abort", this.#stop, { once: true });
    socket.on("open", () => {
      this.#heard();
      options.onLink?.({ up: true });
    });
    socket.on("ping", () => this.#heard());
    socket.on("message", (data) => this.#take(String(data)));
    socket.on("unexpected-response", (_request, response) => {
      const status = response.statusCode ?? 0;
      this.reason = `HTTP ${status}`;
      void sentenceOf(response).then((sentence) => {
        if (sentence !== "") this.reason = `${sentence} (HTTP ${status})`;
        // 408, 429 and 5xx pass; other refusals do not.
        const passes = status < 400 || status >= 500 || status === 408 || status === 429;
        if (!passes) this.#refused = new SubscriptionRefused(this.reason);
        this.end();
        this.#finish();
      });
    });
    socket.on("error", (error) => {
      this.reason = error.message;
    });
    socket.on("close", (code, reason) => {
      if (reason.length > 0) this.reason = `${reason.toString()} (${code})`;
      if (code === POLICY) this.#refused = new SubscriptionRefused(this.reason);
      this.#finish();
    });
  }

  async *events(): AsyncGenerator<StreamEvent, void, undefined> {
    for (;;) {
      for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
        yield next;
        if (this.#queue.length < READ_AHEAD / 2 && this.#socket.isPaused) this.#socket.resume();
      }
      if (this.#refused !== null) throw this.#refused;
      if (this.#closed) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  end(): void {
    this.#signal?.removeEventListener("abort", this.#stop);
    clearTimeout(this.#silence);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    // A handshake that is under way, or a peer that does not answer the close, must not keep the process alive.
    else this.#socket.terminate();
    if (this.#signal?.aborted === true) {
      this.#socket.terminate();
      this.#finish();
    }
  }

  #take(text: string): void {
    this.#heard();
    const event = parseEvent(text);
    if (event === null) {
      this.reason = "the daemon sent something that is no event";
      this.#socket.terminate();
      return;
    }
    this.#queue.push(event);
    if (this.#queue.length >= READ_AHEAD) this.#socket.pause();
    this.#wakeUp();
  }

  #heard(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      this.reason = `nothing heard for ${this.#silenceMs} ms`;
      this.#socket.terminate();
    }, this.#silenceMs);
    this.#silence.unref();
  }

  #finish(): void {
    clearTimeout(this.#silence);
    this.#closed = true;
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

/** The sentence of a refusal, `{error: {reason, message}}`; "" when it is none of the daemon's, or goes on too long. */
async function sentenceOf(response: IncomingMessage): Promise<string> {
  let body = "";
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length > LONGEST_REFUSAL) return "";
    }
    const { error } = JSON.parse(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? error.message : "";
  } catch {
    return "";
  }
}

function parseEvent(text: string): StreamEvent | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isJsonObject(value)) return null;
  if (typeof value["type"] !== "string" || typeof value["sequence"] !== "number" || !isJsonObject(value["data"]))
    return null;
  return value as unknown as StreamEvent;
}
