/** Rows of a page: more than any window shows. */
const PAGE = 100;
/** A search is asked for once per so many ms of typing. */
const TYPING_MS = 200;
/** Sessions that close within so many ms are read together. */
const NEWS_MS = 400;
/** What could not be read is tried again after so many ms. */
const AGAIN_MS = 4_000;
const FIELDS = [
  "agent",
  "profile",
  "model",
  "turn",
  "window_number",
  "zone",
  "tokens",
  "max_tokens",
  "utilization",
  "thresholds",
  "tokens_freed",
  "evicted_blocks",
  "regretted_blocks",
  "closed_at",
];

/**
 * The closed sessions as far as they were read: page by page, the one that closed last first, chosen by the daemon.
 * What was read stays until the answer to another choice is there. `onChange(isOther)` after each answer; `isOther`:
 * to another choice.
 */
export class ClosedList {
  sessions = new Map();
  /** All that were read under any choice: what the fields offer to choose from. */
  seen = new Map();
  /** How many there are, as the daemon counts them; null: it does not. */
  total = null;
  /** Whether `sessions` has all that fit. */
  isWhole = false;
  /** The CallError of the last reading; null: it went well. */
  fault = null;
  /** Whether the choice in force was answered. */
  isRead = false;

  #call;
  #onChange;
  #choice = null;
  #cursor = null;
  /** Rises with each choice: the answer to an earlier one is let go. */
  #asked = 0;
  #reading = false;
  #timer = 0;
  #news = 0;

  constructor(call, onChange) {
    this.#call = call;
    this.#onChange = onChange;
  }

  /** `choice`: what `session.list` takes to choose by. */
  choose(choice) {
    const before = JSON.stringify(this.#choice);
    if (before === JSON.stringify(choice)) return;
    const isTyping = this.#choice !== null && this.#choice.search !== choice.search;
    this.#choice = choice;
    this.again(isTyping ? TYPING_MS : 0);
  }

  /** Reads from the beginning: for another choice, or after a fault. */
  again(wait = 0) {
    this.#asked++;
    this.#reading = false;
    this.isRead = false;
    this.fault = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#read(null), wait);
  }

  /** The next page, if there is one and nothing is being read. */
  more() {
    if (!this.isRead || this.isWhole || this.#reading || this.fault !== null) return;
    this.#read(this.#cursor);
  }

  /** Sessions closed: the newest are read, and what was read stays. */
  news() {
    if (!this.isRead) return;
    clearTimeout(this.#news);
    this.#news = setTimeout(() => this.#readNews(), NEWS_MS);
  }

  close() {
    this.#asked++;
    clearTimeout(this.#timer);
    clearTimeout(this.#news);
  }

  async #read(cursor) {
    const asked = this.#asked;
    this.#reading = true;
    try {
      const page = await this.#page(cursor);
      if (asked !== this.#asked) return;
      if (cursor === null) this.sessions = new Map();
      this.#take(page.sessions);
      this.total = page.total;
      this.#cursor = page.next_cursor;
      this.isWhole = page.next_cursor === null;
      this.isRead = true;
      this.fault = null;
    } catch (error) {
      if (asked !== this.#asked) return;
      this.fault = error;
      this.#timer = setTimeout(() => this.#read(cursor), AGAIN_MS);
    }
    this.#reading = false;
    this.#onChange(cursor === null);
  }

  async #readNews() {
    const asked = this.#asked;
    try {
      const page = await this.#page(null);
      if (asked !== this.#asked) return;
      const isGap = page.sessions.length > 0 && !page.sessions.some(({ session_id: id }) => this.sessions.has(id));
      if (isGap && this.sessions.size > 0) {
        // More closed than a page holds: what lies between is not known.
        this.again();
        return;
      }
      this.#take(page.sessions);
      this.total = page.total;
      if (this.sessions.size <= page.sessions.length) this.isWhole = page.next_cursor === null;
      this.#onChange(false);
    } catch {
      // What was read stays; the next session that closes is the next occasion.
    }
  }

  #page(cursor) {
    const params = { state: "closed", limit: PAGE, sort: "last_seen", fields: FIELDS, ...this.#choice };
    return this.#call("session.list", cursor === null ? params : { ...params, cursor });
  }

  #take(sessions) {
    for (const session of sessions) {
      if (!this.sessions.has(session.session_id)) this.sessions.set(session.session_id, session);
      this.seen.set(session.session_id, session);
    }
  }
}
