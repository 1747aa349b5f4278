const MOST = 6;
/** Characters that the daemon takes of a search. */
const LONGEST = 256;
/** The daemon is asked once per so many ms of typing. */
const TYPING_MS = 180;
/** Pages that are read for one search: each looks at a part of the closed sessions, the last ones first. */
const MOST_PAGES = 5;

/** Closed sessions by words: asked of the daemon, since the page does not have them. `onChange()` after each answer. */
export class ClosedSearch {
  found = [];
  isLooking = false;
  /** Whether the last search could not be made. */
  failed = false;
  #words = "";
  #call;
  #onChange;
  #timer = 0;

  constructor(call, onChange) {
    this.#call = call;
    this.#onChange = onChange;
  }

  look(words) {
    if (words === this.#words) return;
    this.#words = words;
    clearTimeout(this.#timer);
    this.found = [];
    this.failed = false;
    this.isLooking = words !== "";
    if (this.isLooking) this.#timer = setTimeout(() => this.#read(words), TYPING_MS);
  }

  async #read(words) {
    try {
      let cursor = null;
      for (let page = 0; page < MOST_PAGES && this.found.length < MOST; page++) {
        const answer = await this.#page(words, cursor);
        if (words !== this.#words) return;
        this.found.push(...answer.sessions);
        cursor = answer.next_cursor;
        if (cursor === null) break;
      }
    } catch {
      if (words !== this.#words) return;
      this.failed = true;
    }
    this.isLooking = false;
    this.#onChange();
  }

  #page(words, cursor) {
    const params = {
      state: "closed",
      search: words.slice(0, LONGEST),
      limit: MOST,
      sort: "last_seen",
      fields: ["agent", "closed_at"],
    };
    return this.#call("session.list", cursor === null ? params : { ...params, cursor });
  }
}
