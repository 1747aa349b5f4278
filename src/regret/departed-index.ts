import { type Departure, REGRET_TURNS } from "./departure.ts";
import { type Left, type Reading, TurnDepartures } from "./turn-departures.ts";

/**
 * What left the context in the last REGRET_TURNS turns, by identifier and by call. Adding costs next to nothing; what
 * was added waits to be read, in slices, and must be before anything is looked up. Time is counted in turns: what is
 * too old goes a turn at a time. Nothing here is journalled: the index follows from the departures and their contents.
 */
export class DepartedIndex {
  readonly #reading: Reading;
  /** What has come back since. */
  readonly #returned = new WeakSet<Departure>();
  /** Oldest first. */
  #turns: TurnDepartures[] = [];

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  get isEmpty(): boolean {
    return this.#turns.length === 0;
  }

  /** Departures to be read. */
  get waiting(): number {
    return this.#turns.reduce((sum, turn) => sum + turn.waiting, 0);
  }

  /** To be called in the order in which things left. */
  add(left: Left): void {
    const last = this.#turns.at(-1);
    if (last?.turn === left.departure.turn) {
      last.add(left);
      return;
    }
    const turn = new TurnDepartures(left.departure.turn, this.#reading);
    turn.add(left);
    this.#turns.push(turn);
  }

  /** What left has come back: it is looked up no more. */
  return(departure: Departure): void {
    this.#returned.add(departure);
  }

  /** A turn has begun. */
  expire(turn: number): void {
    const [oldest] = this.#turns;
    if (oldest && turn - oldest.turn > REGRET_TURNS) {
      this.#turns = this.#turns.filter((each) => turn - each.turn <= REGRET_TURNS);
    }
  }

  /** Reads at most `limit` of what waits; answers how many were read. */
  settle(limit = Number.POSITIVE_INFINITY): number {
    let read = 0;
    for (const turn of this.#turns) read += turn.settle(limit - read);
    return read;
  }

  /**
   * The blocks whose departed content held the identifier, each with its last such departure; null when there are
   * more than `most`: what stood everywhere says nothing about any of them.
   */
  holders(identifier: number, most: number): Departure[] | null {
    const byBlock = new Map<string, Departure>();
    for (const turn of this.#turns) {
      // A block may leave several times in a turn; so many entries cannot be of `most` blocks in any sane history.
      const found = turn.holders(identifier, 4 * most + 4);
      for (const departure of found) {
        if (!this.#returned.has(departure)) byBlock.set(departure.blockId, departure);
      }
      if (byBlock.size > most) return null;
    }
    return [...byBlock.values()];
  }

  /** The result of that call that left last; null when none did. */
  resultOf(callKey: string): Departure | null {
    for (let at = this.#turns.length - 1; at >= 0; at--) {
      const departure = (this.#turns[at] as TurnDepartures).resultOf(callKey);
      if (departure !== null && !this.#returned.has(departure)) return departure;
    }
    return null;
  }
}
