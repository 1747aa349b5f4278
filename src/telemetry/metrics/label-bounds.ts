/** Distinct values a label may take before further ones read "other". A fleet has a handful of profiles and models. */
const DISTINCT_VALUES = 50;
/** Longer values are not names that anybody would chart. */
const LONGEST_VALUE = 100;

/** What stands for the values that are not kept. */
export const OTHER = "other";

/**
 * Keeps label sets closed where their values come from agents or configs: the first values of a label are kept for the
 * life of the daemon, later ones become "other". Without it a client that invents model names grows /metrics for ever.
 */
export class LabelBounds {
  readonly #limit: number;
  readonly #known = new Map<string, Set<string>>();

  constructor(limit = DISTINCT_VALUES) {
    this.#limit = limit;
  }

  hold(label: string, value: string): string {
    let known = this.#known.get(label);
    if (known === undefined) {
      known = new Set();
      this.#known.set(label, known);
    }
    if (known.has(value)) return value;
    if (known.size >= this.#limit || value.length > LONGEST_VALUE) return OTHER;
    known.add(value);
    return value;
  }
}
