import type { AppendRequest, Journal } from "../store/journal.ts";

/** Told of each row once it is durable. It must return at once; the caller of `append` waits for it. */
export type Tap = (row: AppendRequest) => void;

/** A journal that tells of the rows it has stored. To the one who uses it, it is the journal itself. */
export class TappedJournal implements Journal {
  readonly #journal: Journal;
  readonly #tap: Tap;

  constructor(journal: Journal, tap: Tap) {
    this.#journal = journal;
    this.#tap = tap;
  }

  get kind(): Journal["kind"] {
    return this.#journal.kind;
  }

  async append(request: AppendRequest): Promise<{ readonly seq: number }> {
    const stored = await this.#journal.append(request);
    this.#tap(request);
    return stored;
  }

  load: Journal["load"] = (key, upTo) => this.#journal.load(key, upTo);
  contents: Journal["contents"] = (hashes) => this.#journal.contents(hashes);
  findIdempotent: Journal["findIdempotent"] = (key, idempotencyKey) =>
    this.#journal.findIdempotent(key, idempotencyKey);
  sessions: Journal["sessions"] = (options) => this.#journal.sessions(options);
  closedSessions: Journal["closedSessions"] = (options) => this.#journal.closedSessions(options);
  closedCount: Journal["closedCount"] = (options) => this.#journal.closedCount(options);
  rows: Journal["rows"] = (key, options) => this.#journal.rows(key, options);
  verify: Journal["verify"] = (key) => this.#journal.verify(key);
  learned: Journal["learned"] = () => this.#journal.learned();
  lastSeq: Journal["lastSeq"] = () => this.#journal.lastSeq();
  prune: Journal["prune"] = (options) => this.#journal.prune(options);
  stats: Journal["stats"] = () => this.#journal.stats();
  close: Journal["close"] = () => this.#journal.close();
}
