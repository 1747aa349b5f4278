import { hashesOf, readBody } from "../manager/row.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Journal, JournalRow } from "../store/journal.ts";
import type { StoredCall } from "./followed-call.ts";

/** What waits in memory, at most; beyond it the journal is read instead. */
const MOST_CALLS = 500;
const MOST_CHARACTERS = 8_000_000;
/** Rows read from the journal at once. */
const PAGE = 50;

/** Rows of a session that the journal no longer has. */
export class PrunedError extends Error {
  constructor() {
    super("the journal no longer has the session's first calls");
    this.name = "PrunedError";
  }
}

/**
 * The calls of a session that are still to be followed, in order. They come as they are stored; what came before the
 * first one, or did not fit, is read from the journal, so that nobody ever waits for a queue that is full.
 */
export class CallQueue {
  readonly #key: SessionKey;
  readonly #journal: Pick<Journal, "rows" | "contents">;
  #waiting: StoredCall[] = [];
  #characters = 0;
  /** Position of the last call that was taken, and of the last one known. */
  #taken = 0;
  #known = 0;
  /** True while calls are to be had from the journal that are not waiting here. */
  #isBehind: boolean;

  /** @param fromJournal whether there are calls before the first that will be offered. */
  constructor(key: SessionKey, fromJournal: boolean, journal: Pick<Journal, "rows" | "contents">) {
    this.#key = key;
    this.#isBehind = fromJournal;
    this.#journal = journal;
  }

  /** Calls known and not taken. */
  get length(): number {
    return this.#known - this.#taken;
  }

  /** A call has been stored. */
  offer(call: StoredCall): void {
    this.#known = Math.max(this.#known, call.sessionSeq);
    if (this.#isBehind) return;
    const characters = call.contents.reduce((sum, { body }) => sum + body.length, call.body.length);
    if (this.#waiting.length >= MOST_CALLS || this.#characters + characters > MOST_CHARACTERS) {
      this.#isBehind = true;
      this.clear();
      return;
    }
    this.#waiting.push(call);
    this.#characters += characters;
  }

  /** The next call; null when there is none. Rejects with PrunedError, or as the journal does. */
  async take(): Promise<StoredCall | null> {
    if (this.#waiting.length === 0 && this.#isBehind) await this.#read();
    for (let call = this.#waiting.shift(); call !== undefined; call = this.#waiting.shift()) {
      this.#characters -= call.contents.reduce((sum, { body }) => sum + body.length, call.body.length);
      // It was read from the journal before it was offered.
      if (call.sessionSeq <= this.#taken) continue;
      if (call.sessionSeq > this.#taken + 1) throw new PrunedError();
      this.#taken = call.sessionSeq;
      return call;
    }
    return null;
  }

  clear(): void {
    this.#waiting = [];
    this.#characters = 0;
  }

  /** A call that is stored while this reads is either among the rows or raises what is known. */
  async #read(): Promise<void> {
    const rows = await this.#journal.rows(this.#key, { from: this.#taken + 1, limit: PAGE });
    const last = rows.at(-1)?.sessionSeq ?? this.#taken;
    const calls = await this.#callsOf(rows);
    this.#known = Math.max(this.#known, last);
    if (rows.length < PAGE && last >= this.#known) this.#isBehind = false;
    this.#waiting.push(...calls);
  }

  async #callsOf(rows: readonly JournalRow[]): Promise<StoredCall[]> {
    const hashes = rows.map((row) => hashesOf(readBody(row.body).events));
    const bodies = await this.#journal.contents([...new Set(hashes.flat())]);
    return rows.map(({ sessionSeq, at, hook, body }, index) => ({
      sessionSeq,
      at,
      hook,
      body,
      contents: [...new Set(hashes[index])].flatMap((hash) => {
        const text = bodies.get(hash);
        return text === undefined ? [] : [{ hash, body: text }];
      }),
    }));
  }
}
