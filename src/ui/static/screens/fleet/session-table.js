import { el, say, setText } from "../../draw/dom.js";
import { whole } from "../../draw/format.js";
import { SessionOrder } from "./session-order.js";

/** Heights of a row in px, as sessions.css and style/widths.css have them: a line, one for a finger, a card of two. */
const HEIGHT = { line: 32, touch: 44, card: 60 };
/** Cards shown before the button that shows all. */
const FIRST_CARDS = 24;
/** Rows made beyond what is in view. */
const SPARE = 6;
const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 };
let rowsMade = 0;

/**
 * A table of sessions. Only the rows in view exist and they are reused, so that 5,000 sessions cost what 30 do. While
 * the pointer or the keyboard is among the rows their order stands still, so that none moves away from under a hand.
 */
export class SessionTable {
  #grid;
  #counter;
  #more;
  #to;
  #body = el("div.grid-body", { role: "rowgroup" });
  #none = el("div.none", { hidden: "" });
  #rows = new Map();
  #spare = [];
  #view;
  #column;
  #descending = false;
  #matches = () => true;
  #order = new SessionOrder((a, b) => this.#compare(a, b), this.#matches);
  #total = 0;
  #current = null;
  #pointerInside = false;
  #all = false;
  #narrow = matchMedia("(max-width: 720px)");
  #coarse = matchMedia("(pointer: coarse)");
  /** Kept as they change, since asking for them after a change to the rows is a layout each time. */
  #top = 0;
  #room = 0;
  #observer = new ResizeObserver(() => {
    this.#room = this.#grid.clientHeight;
    this.#place();
  });
  #onScroll = () => this.#narrow.matches && this.#place();

  /**
   * `to`: { href(names), open(id), last() (the session that the reader looked at last, or null) }. `view`: { columns, sortedBy (the key of a column) or order(a, b), counted(length,
   * total) in words, spoken(session) in words, onEnd() when the last rows come into view }.
   */
  constructor({ grid, counter, more }, to, view) {
    this.#view = { onEnd: () => {}, ...view };
    this.#column = view.columns.find(({ key }) => key === view.sortedBy) ?? { order: view.order };
    this.#grid = grid;
    this.#counter = counter;
    this.#more = more;
    this.#to = to;
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-labelledby", "sessions-title");
    grid.setAttribute("aria-colcount", String(view.columns.length));
    grid.tabIndex = 0;
    const row = el(
      "div.grid-head",
      { role: "row", "aria-rowindex": "1" },
      ...view.columns.map((column) => this.#headCell(column)),
    );
    grid.append(el("div.grid-top", { role: "rowgroup" }, row), this.#body, this.#none);
    grid.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    addEventListener("scroll", this.#onScroll, { passive: true });
    this.#body.addEventListener("pointerenter", () => {
      this.#pointerInside = true;
    });
    this.#body.addEventListener("pointerleave", () => {
      this.#pointerInside = false;
    });
    more.addEventListener("click", () => {
      this.#all = true;
      this.#place();
    });
    this.#room = grid.clientHeight;
    this.#observer.observe(grid);
    this.#markSort();
  }

  close() {
    this.#observer.disconnect();
    removeEventListener("scroll", this.#onScroll);
  }

  touch(id) {
    this.#order.touch(id);
  }

  replaced() {
    this.#order.replaced();
  }

  filter(matches) {
    this.#matches = matches;
    this.#order.rule((a, b) => this.#compare(a, b), matches);
  }

  /** What stands in the place of the rows while there are none: words, and what can be done. */
  tell(...nodes) {
    this.#none.replaceChildren(...nodes);
  }

  paint(sessions, now) {
    this.#total = sessions.size;
    const byKeyboard = document.activeElement === this.#grid && this.#current !== null;
    this.#order.settle(sessions, this.#pointerInside || byKeyboard);
    this.#place(now);
  }

  /** A key of the page: rows are walked and opened from anywhere outside of a field. */
  key(event) {
    const isHere = document.activeElement === this.#grid;
    if (event.key === "Enter" && isHere && this.#current !== null) {
      this.#to.open(this.#current);
      return true;
    }
    const step = STEPS[event.key];
    const isOurs = isHere || event.key === "j" || event.key === "k";
    if (step === undefined || !isOurs || this.#order.list.length === 0) return false;
    this.#grid.focus({ preventScroll: true });
    this.#walk(step);
    return true;
  }

  #compare(a, b) {
    const sign = this.#descending ? -1 : 1;
    return sign * this.#column.order(a, b) || (a.session_id < b.session_id ? -1 : a.session_id > b.session_id ? 1 : 0);
  }

  #headCell(column) {
    const unit = column.unit === undefined ? null : el("span.unit", {}, ` ${column.unit}`);
    const place = `div.${column.key}${column.right ? ".right" : ""}`;
    if (column.order === undefined) {
      return el(place, { role: "columnheader" }, el("span.name", {}, column.name, unit));
    }
    const sort = () => {
      this.#descending = this.#column === column && !this.#descending;
      this.#column = column;
      this.#order.list.sort((a, b) => this.#compare(a, b));
      this.#order.rule((a, b) => this.#compare(a, b), this.#matches);
      this.#markSort();
      this.#place();
    };
    const button = el("button", { type: "button", title: column.about, on: { click: sort } }, column.name, unit);
    return el(place, { role: "columnheader" }, button);
  }

  #markSort() {
    [...this.#grid.querySelector(".grid-head").children].forEach((cell, i) => {
      if (this.#view.columns[i].order === undefined) return;
      const isSorted = this.#view.columns[i] === this.#column;
      cell.setAttribute("aria-sort", isSorted ? (this.#descending ? "descending" : "ascending") : "none");
    });
  }

  #scrolled() {
    this.#top = this.#grid.scrollTop;
    this.#place();
  }

  get #height() {
    if (this.#narrow.matches) return HEIGHT.card;
    return this.#coarse.matches ? HEIGHT.touch : HEIGHT.line;
  }

  /** The part of the list that is in view, by its first place and the one after its last. */
  #inView(shown, height) {
    const narrow = this.#narrow.matches;
    if (narrow && !this.#all) return [0, shown];
    // Cards scroll with the page, rows with the grid.
    const top = narrow ? -this.#body.getBoundingClientRect().top : this.#top;
    const room = narrow ? innerHeight : this.#room;
    const first = Math.max(0, Math.floor(top / height) - SPARE);
    return [first, Math.min(shown, Math.ceil((top + room) / height) + SPARE)];
  }

  /** Makes and places the rows in view, and lets go of the others. */
  #place(now = Date.now()) {
    if (this.#grid.hidden) return;
    const height = this.#height;
    const { list } = this.#order;
    const { length } = list;
    const shown = this.#narrow.matches && !this.#all ? Math.min(length, FIRST_CARDS) : length;
    const [first, last] = this.#inView(shown, height);
    this.#count(length, shown, height);
    const kept = new Map();
    for (let i = first; i < last; i++) {
      const id = list[i].session_id;
      const row = this.#rows.get(id);
      if (row !== undefined) kept.set(id, row);
    }
    for (const [id, row] of this.#rows) if (!kept.has(id)) this.#spare.push(row);
    for (let i = first; i < last; i++) this.#placeRow(kept, list[i], i, height, now);
    for (const row of this.#spare.splice(0)) row.node.remove();
    this.#rows = kept;
    this.#markCurrent();
    if (last + SPARE >= length) this.#view.onEnd();
  }

  #placeRow(kept, session, i, height, now) {
    const id = session.session_id;
    const row = kept.get(id) ?? this.#spare.pop() ?? this.#newRow();
    kept.set(id, row);
    row.update(session, now);
    if (row.at !== i * height) {
      row.at = i * height;
      row.node.style.setProperty("--y", `${row.at}px`);
      row.node.setAttribute("aria-rowindex", String(i + 2));
    }
    if (!row.node.isConnected) this.#body.append(row.node);
  }

  #newRow() {
    return makeRow(this.#view.columns, (name) => this.#to.href(["session", name]));
  }

  #count(length, shown, height) {
    const tall = `${shown * height}px`;
    if (this.#body.style.height !== tall) this.#body.style.height = tall;
    const rows = String(length + 1);
    if (this.#grid.getAttribute("aria-rowcount") !== rows) this.#grid.setAttribute("aria-rowcount", rows);
    this.#more.hidden = shown === length;
    this.#none.hidden = length > 0;
    setText(this.#more, `Show ${whole(length - shown)} more`);
    setText(this.#counter, this.#view.counted(length, this.#total));
  }

  #markCurrent() {
    const current = this.#current === null ? undefined : this.#rows.get(this.#current);
    for (const row of this.#rows.values()) {
      if (row.node.classList.contains("current") === (row === current)) continue;
      row.node.classList.toggle("current", row === current);
      if (row === current) row.node.setAttribute("aria-selected", "true");
      else row.node.removeAttribute("aria-selected");
    }
    const id = current?.node.id ?? null;
    if (this.#grid.getAttribute("aria-activedescendant") === id) return;
    if (id === null) this.#grid.removeAttribute("aria-activedescendant");
    else this.#grid.setAttribute("aria-activedescendant", id);
  }

  #walk(step) {
    const { list } = this.#order;
    const at = this.#current === null ? this.#first(step) : this.#placeOf(this.#current) + step;
    this.#goTo(Math.min(list.length - 1, Math.max(0, at)));
  }

  #placeOf(id) {
    return this.#order.list.findIndex((session) => session.session_id === id);
  }

  /** Where walking begins: at the session that the reader comes from, else at the end that the step leads from. */
  #first(step) {
    const last = this.#placeOf(this.#to.last());
    return last < 0 ? step - 1 : last;
  }

  #goTo(at) {
    const { list } = this.#order;
    const session = list[at];
    this.#current = session.session_id;
    if (at >= FIRST_CARDS) this.#all = true;
    this.#reveal(at);
    this.#place();
    say(this.#view.spoken(session));
  }

  #reveal(at) {
    const height = this.#height;
    const top = at * height;
    if (this.#narrow.matches) {
      const y = this.#body.getBoundingClientRect().top + top;
      if (y < 0 || y + height > innerHeight) scrollBy(0, y - innerHeight / 2);
      return;
    }
    const room = this.#grid.clientHeight - 30 - height;
    if (top < this.#grid.scrollTop) this.#grid.scrollTop = top;
    else if (top > this.#grid.scrollTop + room) this.#grid.scrollTop = top - room;
    this.#top = this.#grid.scrollTop;
  }
}

function makeRow(columns, href) {
  const updates = [];
  const cells = columns.map((column) => {
    const cell = el(`div.${column.key}${column.right ? ".right" : ""}`, { role: "gridcell" });
    updates.push(column.make(cell, href));
    return cell;
  });
  const node = el("div.row", { role: "row", id: `row-${++rowsMade}` }, ...cells);
  return {
    node,
    at: -1,
    update(session, now) {
      for (const update of updates) update(session, now);
    },
  };
}
