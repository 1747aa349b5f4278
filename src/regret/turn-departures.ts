import { DEPARTURES_A_TURN, type Departure } from "./departure.ts";

/** Identifiers remembered of what left in one turn; of what left after that many, recalls and re-reads are known. */
const IDENTIFIERS_A_TURN = 16_384;

/** What left, and what is known of its text: its identifiers where they were read before, else the text to read. */
export interface Left {
  readonly departure: Departure;
  /** Hashes: integers, of which 32 bits count. */
  readonly identifiers: Iterable<number> | null;
  readonly text: string | null;
}

/** How the index reads what it is given. */
export interface Reading {
  identifiers(text: string): Iterable<number>;
  /** One key for equal calls. */
  callKey(toolName: string, argumentsText: string): string;
}

/**
 * What left in one turn, by identifier and by call. Identifiers are one sorted array of numbers (32 bits of the
 * hash, then the departure's place), eight bytes each: it is made once, looked up by halving, and thrown away whole.
 */
export class TurnDepartures {
  readonly turn: number;
  readonly #reading: Reading;
  readonly #departures: Departure[] = [];
  readonly #calls = new Map<string, Departure>();
  #waiting: Left[] = [];
  #next = 0;
  #sorted = new Float64Array(0);
  #unsorted: number[] = [];

  constructor(turn: number, reading: Reading) {
    this.turn = turn;
    this.#reading = reading;
  }

  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  add(left: Left): void {
    this.#waiting.push(left);
  }

  /** Reads at most `limit` of what waits; answers how many were read. */
  settle(limit: number): number {
    let read = 0;
    for (; read < limit && this.#next < this.#waiting.length; read++) this.#read(this.#waiting[this.#next++] as Left);
    if (read > 0 && this.waiting === 0) this.#finish();
    return read;
  }

  /** What held the identifier, oldest first, `most` at most. All must have been read. */
  holders(identifier: number, most: number): Departure[] {
    const found: Departure[] = [];
    const key = (identifier >>> 0) * DEPARTURES_A_TURN;
    for (let at = this.#firstFrom(key); at < this.#sorted.length && found.length < most; at++) {
      const place = (this.#sorted[at] as number) - key;
      if (place >= DEPARTURES_A_TURN) break;
      found.push(this.#departures[place] as Departure);
    }
    return found;
  }

  /** The result of that call that left last. All must have been read. */
  resultOf(callKey: string): Departure | null {
    return this.#calls.get(callKey) ?? null;
  }

  #read({ departure, identifiers, text }: Left): void {
    const place = this.#departures.push(departure) - 1;
    for (const identifier of identifiers ?? this.#reading.identifiers(text ?? "")) {
      if (this.#sorted.length + this.#unsorted.length >= IDENTIFIERS_A_TURN) break;
      this.#unsorted.push((identifier >>> 0) * DEPARTURES_A_TURN + place);
    }
    const { call, toolName } = departure;
    if (call !== null) this.#calls.set(this.#reading.callKey(toolName ?? "", call.argumentsText), departure);
  }

  #finish(): void {
    this.#waiting = [];
    this.#next = 0;
    if (this.#unsorted.length === 0) return;
    const all = new Float64Array(this.#sorted.length + this.#unsorted.length);
    all.set(this.#sorted);
    all.set(this.#unsorted, this.#sorted.length);
    this.#sorted = all.sort();
    this.#unsorted = [];
  }

  /** Place of the first entry not below `key`. */
  #firstFrom(key: number): number {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle] as number) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
