/** What is taken for the rate while nothing was seen: one use in twenty values. */
const FIRST_USED = 1;
const FIRST_SEEN = 20;
/** Values after which a rate counts half of what was seen and half of the average. */
const DOUBT = 5;

/** How many values of one origin came in, and to how many of them the assistant came back. */
export class Rate {
  seen = 0;
  used = 0;
}

/**
 * What a session has shown of its own habits: values of which tools, under which keys and of which kinds are used again.
 * It is learned anew in each session, so it holds for tools and formats that no model was trained on.
 */
export class ReuseRates {
  readonly #all = new Rate();
  readonly #byOrigin = new Map<string, Rate>();

  of(origin: string): Rate {
    let rate = this.#byOrigin.get(origin);
    if (!rate) {
      rate = new Rate();
      this.#byOrigin.set(origin, rate);
    }
    return rate;
  }

  /** A value came in, from all of these origins. */
  noteSeen(origins: readonly Rate[]): void {
    this.#all.seen++;
    for (const rate of origins) rate.seen++;
  }

  /** The assistant came back to it for the first time. */
  noteUsed(origins: readonly Rate[]): void {
    this.#all.used++;
    for (const rate of origins) rate.used++;
  }

  /** ln(rate / average rate): 0 of an origin as good as all, and of one that was not seen yet. */
  relative({ seen, used }: Rate): number {
    const average = (this.#all.used + FIRST_USED) / (this.#all.seen + FIRST_SEEN);
    return Math.log((used + DOUBT * average) / (seen + DOUBT) / average);
  }
}

const KEY = /^\s*["']?([\w.[\] -]{1,60}?)["']?\s*[:=]/;

/** The name before a colon or an equals sign, without its path and without digits; null of a line that has none. */
export function keyOf(line: string): string | null {
  const [, name] = KEY.exec(line) ?? [];
  return name === undefined ? null : name.replace(/\d+/g, "").replace(/^.*\./, "");
}
