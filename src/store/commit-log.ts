export interface Commit {
  readonly rows: number;
  readonly seconds: number;
}

/** More than a reader of every 15 s sees at full rate, and 100 kB at most when nobody reads. */
const KEPT = 4096;
/** Commits that a look at the figures goes back over. */
const RECENT = 512;

/** The last commits, for histograms and for whoever looks. Bounded: without a reader the oldest are dropped. */
export class CommitLog {
  #commits: Commit[] = [];
  readonly #recent: Commit[] = [];
  #next = 0;

  add(rows: number, seconds: number): void {
    if (this.#commits.length >= KEPT) this.#commits.splice(0, KEPT / 2);
    const commit = { rows, seconds };
    this.#commits.push(commit);
    this.#recent[this.#next] = commit;
    this.#next = (this.#next + 1) % RECENT;
  }

  /** The last 512 at most, in no order; drained or not. */
  recent(): readonly Commit[] {
    return [...this.#recent];
  }

  drain(): readonly Commit[] {
    const drained = this.#commits;
    this.#commits = [];
    return drained;
  }
}
