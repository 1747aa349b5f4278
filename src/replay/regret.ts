import type { Need } from "./needs.ts";

/** Turns within which a need of something that left the context is regretted. */
const REGRETTED = 10;

export interface Missed {
  readonly needs: number;
  readonly weight: number;
}

/** Needs that were missed within ten turns after their value had left the context. */
export interface Regret extends Missed {
  /** By where the value last stood: the tool whose result it was, or the role of another message. */
  readonly bySource: ReadonlyMap<string, Missed>;
}

/** Follows when values leave the context, and whether they are missed. */
export class RegretMeter {
  /** By value: the first request without it since it came or stood in the context last; null while it stands there. */
  readonly #goneSince = new Map<number, number | null>();
  readonly #bySource = new Map<string, Missed>();
  #turn = -1;
  #all: Missed = { needs: 0, weight: 0 };

  /** A request is made: `arrived` are the needed values that came since the one before, `there` those on its lines. */
  request(arrived: Iterable<number>, there: ReadonlySet<number>): void {
    this.#turn++;
    for (const value of arrived) this.#goneSince.set(value, null);
    for (const [value, since] of this.#goneSince) {
      if (there.has(value)) this.#goneSince.set(value, null);
      else if (since === null) this.#goneSince.set(value, this.#turn);
    }
  }

  /** The request just made lacks a need, which last stood in a message of this source. */
  missed({ index, weight }: Need, source: string): void {
    const since = this.#goneSince.get(index) ?? null;
    if (since === null || this.#turn - since > REGRETTED) return;
    this.#all = andOne(this.#all, weight);
    this.#bySource.set(source, andOne(this.#bySource.get(source), weight));
  }

  get regret(): Regret {
    return { ...this.#all, bySource: this.#bySource };
  }
}

function andOne(missed: Missed = { needs: 0, weight: 0 }, weight: number): Missed {
  return { needs: missed.needs + 1, weight: missed.weight + weight };
}
