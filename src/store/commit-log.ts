export interface Commit {
  readonly rows: number;
  readonly seconds: number;
}

/** More than a reader of every 15 s sees at full rate, and 100 kB at most when nobody reads. */
const KEPT = 4096;

/** The last commits, for histograms. Bounded: without a reader the oldest are dropped. */
export class CommitLog {
  #commits: Commit[] = [];

  add(rows: number, seconds: number): void {
    if (this.#commits.length >= KEPT) this.#commits.splice(0, KEPT / 2);
    this.#commits.push({ rows, seconds });
  }

  drain(): readonly Commit[] {
    const drained = this.#commits;
    this.#commits = [];
    return drained;
  }
}
