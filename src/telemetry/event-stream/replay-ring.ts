import type { PublishedEvent } from "../../model/events.ts";
import { renderEvent } from "./cloud-event.ts";

/** One event in the ring, rendered when the first subscriber wants it and then kept for the others. */
export class RingEntry {
  readonly event: PublishedEvent;
  #rendered: Buffer | null = null;

  constructor(event: PublishedEvent) {
    this.event = event;
  }

  wire(source: string): Buffer {
    this.#rendered ??= renderEvent(this.event, source);
    return this.#rendered;
  }
}

/**
 * The last events, by position. Positions count from 0 and never repeat; sequences are the cursor that clients see.
 * A daemon that has just started knows no events, only the last sequence of the one before it (`after`): a client that
 * had read up to there has missed nothing.
 */
export class ReplayRing {
  readonly #capacity: number;
  readonly #entries: RingEntry[] = [];
  /** Position behind the newest event. */
  #end = 0;
  /** The sequence of the newest event that has left the ring, or that came before it. */
  #after: number;
  #last: number;

  constructor(capacity: number, after: number) {
    this.#capacity = capacity;
    this.#after = after;
    this.#last = after;
  }

  push(event: PublishedEvent): void {
    const slot = this.#end % this.#capacity;
    const leaving = this.#entries[slot];
    if (leaving !== undefined) this.#after = leaving.event.sequence;
    this.#entries[slot] = new RingEntry(event);
    this.#end++;
    this.#last = event.sequence;
  }

  /** Position behind the newest event: where a subscriber without a cursor begins. */
  get end(): number {
    return this.#end;
  }

  /** Oldest position still held. */
  get start(): number {
    return Math.max(0, this.#end - this.#capacity);
  }

  /** The newest sequence published, or that of the daemon before. */
  get lastSequence(): number {
    return this.#last;
  }

  /** The oldest cursor that can be served without a gap. */
  get oldestCursor(): number {
    return this.#after;
  }

  /** undefined when the position has been overwritten, or is not there yet. */
  at(position: number): RingEntry | undefined {
    return position < this.start || position >= this.#end ? undefined : this.#entries[position % this.#capacity];
  }

  /** Position of the first event behind `sequence`; null when events between them are gone, or it lies in the future. */
  positionAfter(sequence: number): number | null {
    if (sequence < this.#after || sequence > this.#last) return null;
    let low = this.start;
    let high = this.#end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.at(middle) as RingEntry).event.sequence <= sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
