/** Originals kept in memory, the last ones that were looked at: each may be megabytes. */
const KEPT = 12;

/** What `content.get` answers, asked for block by block and only when one is opened. */
export class OriginalReading {
  #app;
  #sessionId;
  #read = new Map();

  constructor(app, sessionId) {
    this.#app = app;
    this.#sessionId = sessionId;
  }

  /** { original, current, state, in_context… } of a block. Throws CallError; a failure is not kept. */
  of(blockId) {
    const known = this.#read.get(blockId);
    if (known !== undefined) return known;
    const asked = this.#app.call("content.get", { session_id: this.#sessionId, block_id: blockId });
    this.#read.set(blockId, asked);
    asked.catch(() => this.forget(blockId));
    if (this.#read.size > KEPT) this.#read.delete(this.#read.keys().next().value);
    return asked;
  }

  /** What stands in the block's place has changed. */
  forget(blockId) {
    this.#read.delete(blockId);
  }
}
