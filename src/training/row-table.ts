/** Rows of room at first; it doubles. */
const FIRST_ROOM = 1024;

/** What a row is about, beside its features. */
export interface RowFacts {
  /** Weight of the needs that the line met until the next eviction. 0 or more. */
  readonly need: number;
  /** How much the row counts. Above 0. */
  readonly weight: number;
  /** Number of the run that it is from. */
  readonly run: number;
}

/** Training rows, with their features in one block of memory. */
export class RowTable {
  readonly width: number;
  readonly needs: number[] = [];
  readonly weights: number[] = [];
  readonly runs: number[] = [];
  #features: Float32Array;

  constructor(width: number) {
    this.width = width;
    this.#features = new Float32Array(FIRST_ROOM * width);
  }

  get length(): number {
    return this.needs.length;
  }

  /** Rows whose line met a need. */
  get positive(): number {
    return this.needs.reduce((count, need) => count + (need > 0 ? 1 : 0), 0);
  }

  /** Copies the features. */
  add(features: Float64Array | Float32Array, { need, weight, run }: RowFacts): void {
    const at = this.length * this.width;
    if (at + this.width > this.#features.length) {
      const larger = new Float32Array(this.#features.length * 2);
      larger.set(this.#features);
      this.#features = larger;
    }
    this.#features.set(features, at);
    this.needs.push(need);
    this.weights.push(weight);
    this.runs.push(run);
  }

  feature(row: number, feature: number): number {
    return this.#features[row * this.width + feature] as number;
  }
}
