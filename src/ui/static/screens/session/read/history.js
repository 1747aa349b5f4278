import { HISTORY } from "./parts.js";

/**
 * What was decided, as the journal has it: the newest rows first, what comes behind them as it happens, and earlier rows
 * when they are asked for. `entries` are in the journal's order.
 */
export class History {
  entries = [];
  /** Whether the journal begins with what is known. */
  isWhole = false;
  /** Whether anything was read: without it, that there are no entries says nothing. */
  isRead = false;
  /** `before` of the next page of what was earlier; null: nothing was read yet, or there is none. */
  #before = null;
  #call;
  #reading = null;

  constructor(call) {
    this.#call = call;
  }

  /** The newest rows, or those that came since. */
  async refresh() {
    const last = this.entries.at(-1)?.position;
    if (last === undefined) return this.#page();
    for (let from = last + 1; from !== null; ) {
      const { entries, next_from: next } = await HISTORY.since(this.#call, from);
      this.entries.push(...entries);
      from = next;
    }
  }

  /** One page of what was before. Asked for twice at once, it is read once. */
  more() {
    if (this.isWhole || this.#before === null) return Promise.resolve();
    this.#reading ??= this.#page().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #page() {
    const { entries, next_before: next } = await HISTORY.newest(this.#call, this.#before);
    this.entries = [...inOrder(entries), ...this.entries];
    this.#before = next;
    this.isWhole = next === null;
    this.isRead = true;
  }
}

/** Rows come newest first, the events within one in their order. */
function inOrder(entries) {
  return entries.toSorted((a, b) => a.position - b.position);
}
