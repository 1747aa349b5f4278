/** Lines of one push, and which attempt it is. */
export interface Batch {
  readonly lines: readonly string[];
  /** Attempts that have failed. */
  failures: number;
}

/** Most lines and bytes of one push; Grafana takes no message above 1 MiB. */
const BATCH_LINES = 500;
const BATCH_BYTES = 64 << 10;

/**
 * Lines that wait for Grafana, oldest first, in a ring: when it is full the oldest line makes room and is counted. A batch
 * that was taken is no longer in it; one that failed comes back to its place, and what has no room then is dropped.
 */
export class LineBuffer {
  readonly #ring: (string | undefined)[];
  #head = 0;
  #size = 0;
  #returned: Batch | null = null;
  #dropped = 0;

  constructor(capacity: number) {
    this.#ring = new Array<string | undefined>(capacity);
  }

  /** Lines that wait, those of a batch that came back included; never above the capacity. */
  get size(): number {
    return this.#size + (this.#returned?.lines.length ?? 0);
  }

  get holdsWholeBatch(): boolean {
    return this.size >= BATCH_LINES;
  }

  get dropped(): number {
    return this.#dropped;
  }

  push(line: string): void {
    if (this.size >= this.#ring.length) this.#dropOldest();
    this.#ring[(this.#head + this.#size) % this.#ring.length] = line;
    this.#size++;
  }

  /** The batch that came back, or the oldest lines; null when nothing waits. */
  take(): Batch | null {
    const again = this.#returned;
    this.#returned = null;
    if (again !== null) return again;
    const lines: string[] = [];
    let bytes = 0;
    while (this.#size > 0 && lines.length < BATCH_LINES) {
      const next = this.#ring[this.#head] as string;
      bytes += Buffer.byteLength(next) + 1;
      if (bytes > BATCH_BYTES && lines.length > 0) break;
      lines.push(this.#shift());
    }
    return lines.length === 0 ? null : { lines, failures: 0 };
  }

  /** Puts a batch that failed back before all others. */
  giveBack(batch: Batch): void {
    const room = this.#ring.length - this.#size;
    const surplus = Math.max(0, batch.lines.length - room);
    this.#dropped += surplus;
    if (surplus === batch.lines.length) return;
    this.#returned = surplus === 0 ? batch : { lines: batch.lines.slice(surplus), failures: batch.failures };
  }

  /** Counts a batch that will not be pushed. */
  giveUp(batch: Batch): void {
    this.#dropped += batch.lines.length;
  }

  /** Drops and counts all that waits. */
  clear(): void {
    this.#dropped += this.size;
    this.#returned = null;
    this.#ring.fill(undefined);
    this.#size = 0;
  }

  #dropOldest(): void {
    this.#dropped++;
    const again = this.#returned;
    if (again === null) this.#shift();
    else if (again.lines.length === 1) this.#returned = null;
    else this.#returned = { lines: again.lines.slice(1), failures: again.failures };
  }

  #shift(): string {
    const line = this.#ring[this.#head] as string;
    this.#ring[this.#head] = undefined;
    this.#head = (this.#head + 1) % this.#ring.length;
    this.#size--;
    return line;
  }
}
