import type { Clock } from "../../model/clock.ts";
import type { Observer, PublishedEvent } from "../../model/events.ts";
import type { Log } from "../../model/log.ts";
import { CONTROL_TYPES, renderControl } from "./cloud-event.ts";
import { eventFilter, POSITION_TYPE, type Subscription } from "./filter.ts";
import { ReplayRing } from "./replay-ring.ts";
import { type EventSocket, Subscriber } from "./subscriber.ts";

export { readEventQuery, type Subscription } from "./filter.ts";
export { EVENT_MEANINGS } from "./meanings.ts";
export { type EventSocket, SLOW_CONSUMER } from "./subscriber.ts";

export interface EventStreamOptions {
  /** Names the daemon in `source`: `/contextd/<instance>`. */
  readonly instance: string;
  /** Events kept for resuming. */
  readonly ring: number;
  readonly heartbeatMs: number;
  /** Unsent bytes at which a subscriber is cut off. */
  readonly subscriberBufferBytes: number;
  /** Highest sequence published before this start; 0 for a new store. */
  readonly lastSequence: number;
}

export interface EventStreamStats {
  readonly clients: number;
  /** Events that subscribers were owed when they were cut off. */
  readonly dropped: number;
  /** Subscribers cut off for not keeping up. */
  readonly evicted: number;
  /** Cursors that could not be served. */
  readonly resyncs: number;
  readonly lastSequence: number;
}

/** Milliseconds of sending after which the event loop gets a turn. */
const FLUSH_BUDGET_MS = 8;

/**
 * The event stream at `/events`: committed events to any number of subscribers, each filtered, in order, resumable.
 *
 * `observe` only files the events in the ring and asks for a flush, so it neither blocks nor breaks the emitter; the
 * flush sends to one subscriber after the other and yields in between. An event is rendered at most once, and only if
 * somebody wants it. The ring is the only queue: what a subscriber does not take in time is either in its socket's
 * bounded buffer or leaves the ring, and then the subscriber is told and cut off.
 */
export class EventStream implements Observer {
  readonly name = "event-stream";
  readonly #options: EventStreamOptions;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #source: string;
  readonly #ring: ReplayRing;
  readonly #subscribers = new Set<Subscriber>();
  readonly #heartbeat: NodeJS.Timeout;
  #flushing: NodeJS.Immediate | null = null;
  #pending: Iterator<Subscriber> | null = null;
  #closed = false;
  #dropped = 0;
  #evicted = 0;
  #resyncs = 0;

  constructor(options: EventStreamOptions, dependencies: { readonly clock: Clock; readonly log: Log }) {
    this.#options = options;
    this.#clock = dependencies.clock;
    this.#log = dependencies.log;
    this.#source = `/contextd/${options.instance}`;
    this.#ring = new ReplayRing(options.ring, options.lastSequence);
    this.#heartbeat = setInterval(() => this.#beat(), options.heartbeatMs);
    this.#heartbeat.unref();
  }

  /** Events in order of their sequence. Those of the journal's tail may be given first, to fill the ring at a start. */
  observe(events: readonly PublishedEvent[]): void {
    for (const event of events) this.#ring.push(event);
    this.#askForFlush();
  }

  /**
   * Takes over a socket that the server has upgraded and authorised. `since` is the last sequence the client has seen;
   * null begins with the next event. A cursor that cannot be served without a gap is answered with a `resync` message,
   * and the stream goes on from now.
   */
  attach(socket: EventSocket, subscription: Subscription): void {
    if (this.#closed) {
      socket.close(1001, "the daemon is shutting down");
      return;
    }
    const { since } = subscription;
    const resumeAt = since === null ? this.#ring.end : this.#ring.positionAfter(since);
    const subscriber = new Subscriber(
      { source: this.#source, bufferBytes: this.#options.subscriberBufferBytes },
      {
        socket,
        ring: this.#ring,
        wants: eventFilter(subscription),
        wantsPosition: subscription.types?.includes(POSITION_TYPE) ?? false,
        onCut: (missed) => {
          this.#evicted++;
          this.#dropped += missed;
          this.#subscribers.delete(subscriber);
          this.#log.warn({ missed, clients: this.#subscribers.size }, "event subscriber cut off: it did not keep up");
        },
      },
      resumeAt ?? this.#ring.end,
    );
    this.#subscribers.add(subscriber);
    socket.on("pong", () => subscriber.answered());
    socket.on("error", (error) => this.#log.debug({ error: error.message }, "event subscriber's socket failed"));
    socket.on("close", () => {
      subscriber.close();
      this.#subscribers.delete(subscriber);
    });
    if (resumeAt === null) {
      this.#resyncs++;
      subscriber.send(this.#resync(since as number));
    } else if (since === null) {
      subscriber.sendPosition(this.#position());
    }
    subscriber.pump();
  }

  stats(): EventStreamStats {
    return {
      clients: this.#subscribers.size,
      dropped: this.#dropped,
      evicted: this.#evicted,
      resyncs: this.#resyncs,
      lastSequence: this.#ring.lastSequence,
    };
  }

  /** Says goodbye to all subscribers (1001) after what was published has been handed to their sockets. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#heartbeat);
    if (this.#flushing !== null) clearImmediate(this.#flushing);
    for (const subscriber of [...this.#subscribers]) {
      subscriber.pump();
      subscriber.close({ code: 1001, reason: "the daemon is shutting down; resume from the last sequence" });
    }
    this.#subscribers.clear();
  }

  #askForFlush(): void {
    if (this.#closed || this.#flushing !== null || this.#subscribers.size === 0) return;
    this.#flushing = setImmediate(() => this.#flush());
  }

  /** Goes round the subscribers from where the last flush stopped, so that the first ones are not always served first. */
  #flush(): void {
    this.#flushing = null;
    const begun = this.#clock.monotonic();
    this.#pending ??= this.#subscribers.values();
    for (let next = this.#pending.next(); next.done !== true; next = this.#pending.next()) {
      next.value.pump();
      if (this.#clock.monotonic() - begun > FLUSH_BUDGET_MS) {
        this.#askForFlush();
        return;
      }
    }
    this.#pending = null;
    for (const subscriber of this.#subscribers) {
      if (!subscriber.isBehind) continue;
      this.#askForFlush();
      return;
    }
  }

  #beat(): void {
    const position = this.#position();
    for (const subscriber of [...this.#subscribers]) {
      if (!subscriber.beat()) this.#subscribers.delete(subscriber);
      else subscriber.sendPosition(position);
    }
  }

  #position(): Buffer {
    return renderControl(CONTROL_TYPES.position, this.#source, this.#ring.lastSequence, this.#clock.now(), {});
  }

  #resync(since: number): Buffer {
    const last = this.#ring.lastSequence;
    return renderControl(CONTROL_TYPES.resync, this.#source, last, this.#clock.now(), {
      reason: since > last ? "ahead" : "too_old",
      requested_sequence: since,
      oldest_sequence: this.#ring.oldestCursor,
      last_sequence: last,
    });
  }
}
