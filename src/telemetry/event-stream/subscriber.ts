import type { PublishedEvent } from "../../model/events.ts";
import type { ReplayRing } from "./replay-ring.ts";

/** The part of a WebSocket that the stream uses; a `ws` socket fits as it is. */
export interface EventSocket {
  /** Bytes given to `send` that the network has not taken. */
  readonly bufferedAmount: number;
  send(data: Buffer, options: { binary: boolean }, done?: (error?: Error | null) => void): void;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
  on(event: "close" | "pong", listener: () => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Private-use close code: the subscriber did not keep up. */
export const SLOW_CONSUMER = 4008;

/** Messages sent in one go while a subscriber catches up: a replay of the whole ring must not hold up hooks. */
const CATCH_UP_SLICE = 200;
/** How long a cut-off subscriber has to read the reason before the connection is torn down. */
const FAREWELL_MS = 5_000;

export interface SubscriberOptions {
  readonly source: string;
  /** Unsent bytes at which a live subscriber is cut off. */
  readonly bufferBytes: number;
}

/**
 * One subscriber: a cursor over the ring. It first *catches up* from its cursor, in slices and only as fast as the
 * network takes them, so that a long replay is never mistaken for slowness; having met the end it is *live*, and is cut
 * off with a stated reason as soon as more than `bufferBytes` wait for it, or when the ring has overtaken it. Cut off
 * or gone it is *closed*, and sends nothing more.
 */
export class Subscriber {
  readonly #options: SubscriberOptions;
  readonly #socket: EventSocket;
  readonly #ring: ReplayRing;
  readonly #wants: (event: PublishedEvent) => boolean;
  readonly #wantsPosition: boolean;
  readonly #onCut: (missed: number) => void;
  #position: number;
  #state: "catching up" | "live" | "closed" = "catching up";
  #waiting = false;
  #answered = true;

  constructor(
    options: SubscriberOptions,
    dependencies: {
      readonly socket: EventSocket;
      readonly ring: ReplayRing;
      readonly wants: (event: PublishedEvent) => boolean;
      readonly wantsPosition: boolean;
      /** Told how many events the subscriber was owed when it was cut off. */
      readonly onCut: (missed: number) => void;
    },
    position: number,
  ) {
    this.#options = options;
    this.#socket = dependencies.socket;
    this.#ring = dependencies.ring;
    this.#wants = dependencies.wants;
    this.#wantsPosition = dependencies.wantsPosition;
    this.#onCut = dependencies.onCut;
    this.#position = position;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** True when there are events it has not looked at and nothing it waits for. */
  get isBehind(): boolean {
    return this.#state !== "closed" && !this.#waiting && this.#position < this.#ring.end;
  }

  /** Sends what there is to send. */
  pump(): void {
    if (this.#waiting) return;
    let sent = 0;
    while (this.#state !== "closed" && this.#position < this.#ring.end) {
      const entry = this.#ring.at(this.#position);
      if (entry === undefined) {
        this.#cut("fell behind: the events to send next have left the ring");
        return;
      }
      this.#position++;
      if (!this.#wants(entry.event)) continue;
      const wire = entry.wire(this.#options.source);
      sent++;
      if (this.#state === "catching up" && (sent >= CATCH_UP_SLICE || this.#isFull(0.25))) {
        this.#sendThenGoOn(wire);
        return;
      }
      this.#socket.send(wire, { binary: false }, ignoreOutcome);
      if (this.#isFull(1)) {
        this.#cut(`slow consumer: over ${this.#options.bufferBytes} bytes unsent; resume from the last sequence`);
        return;
      }
    }
    if (this.#state === "catching up") this.#state = "live";
  }

  /** A message outside of the ring's order. */
  send(message: Buffer): void {
    if (this.#state !== "closed") this.#socket.send(message, { binary: false }, ignoreOutcome);
  }

  /** Where the stream is, if asked for. While events are still to come it would be a cursor past them. */
  sendPosition(message: Buffer): void {
    if (this.#wantsPosition && this.#position === this.#ring.end) this.send(message);
  }

  /** Asks for a sign of life; a subscriber that has not answered the last one is torn down. Returns whether it lives. */
  beat(): boolean {
    if (this.#state === "closed") return false;
    if (!this.#answered) {
      this.#state = "closed";
      this.#socket.terminate();
      return false;
    }
    this.#answered = false;
    this.#socket.ping();
    return true;
  }

  answered(): void {
    this.#answered = true;
  }

  /** The connection is gone, or the daemon goes (then with a code and a reason). */
  close(farewell?: { readonly code: number; readonly reason: string }): void {
    const wasOpen = this.#state !== "closed";
    this.#state = "closed";
    if (wasOpen && farewell !== undefined) this.#socket.close(farewell.code, farewell.reason);
  }

  #isFull(share: number): boolean {
    return this.#socket.bufferedAmount > this.#options.bufferBytes * share;
  }

  /** Goes on when the network has taken the message, or has failed, which the socket reports by itself. */
  #sendThenGoOn(wire: Buffer): void {
    this.#waiting = true;
    this.#socket.send(wire, { binary: false }, () => {
      setImmediate(() => {
        this.#waiting = false;
        this.pump();
      });
    });
  }

  #cut(reason: string): void {
    this.#state = "closed";
    let missed = 0;
    for (let p = Math.max(this.#position, this.#ring.start); p < this.#ring.end; p++) {
      const entry = this.#ring.at(p);
      if (entry !== undefined && this.#wants(entry.event)) missed++;
    }
    this.#onCut(missed);
    this.#socket.close(SLOW_CONSUMER, reason);
    // A subscriber that reads nothing would hold its unsent bytes until the socket's own time limit.
    setTimeout(() => this.#socket.terminate(), FAREWELL_MS).unref();
  }
}

/** A failed send is followed by the socket's error and close events, which end the subscription. */
function ignoreOutcome(): void {}
