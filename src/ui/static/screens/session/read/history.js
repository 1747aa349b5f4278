import { HISTORY } from "./parts.js";

/**
 * What was decided, as the journal has it: the newest rows first, what comes behind them as it happens, and earlier rows
 * when they are asked for. `entries` are in the journal's order.
 */
export class History {
  entries = [];
  /** Whether the journal begins with what is known. */
  isWhole = false;
  /** Lowest position that was read; null: nothing was. */
  #from = null;
  #call;

  constructor(call) {
    this.#call = call;
  }

  /** The newest rows, or those that came since. */
  async refresh() {
    const last = this.entries.at(-1)?.position;
    if (last === undefined) return this.#begin();
    for (let from = last; ; ) {
      const { entries, next_from: next } = await HISTORY.since(this.#call, from);
      this.entries.push(...entries);
      if (next === null || next === undefined) return;
      from = next - 1;
    }
  }

  /** One page of what was before. */
  async more() {
    if (this.isWhole || this.#from === null) return;
    const before = this.#from;
    const { entries } = await HISTORY.before(this.#call, before);
    this.#from = before - HISTORY.page;
    this.isWhole = this.#from <= 1;
    this.entries = [...inOrder(entries), ...this.entries];
  }

  async #begin() {
    const { entries } = await HISTORY.newest(this.#call);
    this.entries = inOrder(entries);
    // Rows without any of the types are not told; the lowest of those that are is at or above where the page began.
    this.#from = this.entries[0]?.position ?? 1;
    this.isWhole = this.#from <= 1;
  }
}

/** Rows come newest first, the events within one in their order. */
function inOrder(entries) {
  return entries.toSorted((a, b) => a.position - b.position);
}
