import { el, say, setText } from "../../draw/dom.js";
import { turns, whole } from "../../draw/format.js";
import { COLUMNS } from "./session-columns.js";

const ROW_HEIGHT = 32;
/** A row is a card of two lines there. */
const CARD_HEIGHT = 60;
/** Cards shown before the button that shows all. */
const FIRST_CARDS = 24;
/** Rows made beyond what is in view. */
const SPARE = 6;

/**
 * The table of sessions. Only the rows in view exist and they are reused, so that 5,000 sessions cost what 30 do. While
 * the pointer or the keyboard is in the table its order stands still, so that no row moves away from under a hand.
 */
export class SessionTable {
  #grid;
  #counter;
  #more;
  #body = el("div.grid-body", { role: "rowgroup" });
  #rows = new Map();
  #order = [];
  #total = 0;
  #column = COLUMNS.find((column) => column.key === "red-in");
  #descending = false;
  #current = null;
  #pointerInside = false;
  #all = false;
  #narrow = matchMedia("(max-width: 720px)");

  constructor(grid, counter, more) {
    this.#grid = grid;
    this.#counter = counter;
    this.#more = more;
    grid.setAttribute("role", "grid");
    grid.setAttribute("aria-labelledby", "sessions-title");
    grid.tabIndex = 0;
    const row = el("div.grid-head", { role: "row" }, ...COLUMNS.map((column) => this.#headCell(column)));
    grid.append(row, this.#body);
    grid.addEventListener("scroll", () => this.#place(), { passive: true });
    grid.addEventListener("keydown", (event) => this.#onKey(event));
    grid.addEventListener("pointerenter", () => {
      this.#pointerInside = true;
    });
    grid.addEventListener("pointerleave", () => {
      this.#pointerInside = false;
    });
    more.addEventListener("click", () => {
      this.#all = true;
      this.#place();
    });
    new ResizeObserver(() => this.#place()).observe(grid);
    this.#markSort();
  }

  /** Shows the sessions that match, of so many in all. */
  show(sessions, total) {
    this.#total = total;
    const isHeld = (this.#pointerInside || this.#grid.contains(document.activeElement)) && this.#order.length > 0;
    this.#order = isHeld ? keptOrder(this.#order, sessions, (list) => this.#sorted(list)) : this.#sorted(sessions);
    this.#place();
  }

  #sorted(sessions) {
    const sign = this.#descending ? -1 : 1;
    const { order } = this.#column;
    return [...sessions].sort((a, b) => sign * order(a, b) || (a.session_id < b.session_id ? -1 : 1));
  }

  #headCell(column) {
    const unit = column.unit === undefined ? null : el("span.unit", {}, ` ${column.unit}`);
    const sort = () => {
      this.#descending = this.#column === column && !this.#descending;
      this.#column = column;
      this.#order = this.#sorted(this.#order);
      this.#markSort();
      this.#place();
    };
    const button = el("button", { type: "button", tabindex: "-1", on: { click: sort } }, column.name, unit);
    return el(`div.${column.key}${column.right ? ".right" : ""}`, { role: "columnheader" }, button);
  }

  #markSort() {
    [...this.#grid.firstChild.children].forEach((cell, i) => {
      const isSorted = COLUMNS[i] === this.#column;
      cell.setAttribute("aria-sort", isSorted ? (this.#descending ? "descending" : "ascending") : "none");
    });
  }

  /** Makes and places the rows in view, and lets go of the others. */
  #place() {
    const narrow = this.#narrow.matches;
    const height = narrow ? CARD_HEIGHT : ROW_HEIGHT;
    const { length } = this.#order;
    const shown = narrow && !this.#all ? Math.min(length, FIRST_CARDS) : length;
    this.#body.style.height = `${shown * height}px`;
    this.#grid.setAttribute("aria-rowcount", String(length + 1));
    this.#more.hidden = shown === length;
    setText(this.#more, `Show ${whole(length - shown)} more`);
    setText(this.#counter, length === this.#total ? whole(length) : `${whole(length)} of ${whole(this.#total)}`);
    const first = narrow ? 0 : Math.max(0, Math.floor(this.#grid.scrollTop / height) - SPARE);
    const last = narrow ? shown : Math.min(shown, first + Math.ceil(this.#grid.clientHeight / height) + 2 * SPARE);
    const kept = new Map();
    const now = Date.now();
    for (let i = first; i < last; i++) {
      const session = this.#order[i];
      const row = this.#rows.get(session.session_id) ?? makeRow();
      row.update(session, now);
      row.node.style.setProperty("--y", `${i * height}px`);
      row.node.setAttribute("aria-rowindex", String(i + 2));
      row.node.id = `row-${i}`;
      row.node.classList.toggle("current", session.session_id === this.#current);
      if (!row.node.isConnected) this.#body.append(row.node);
      kept.set(session.session_id, row);
    }
    for (const [id, row] of this.#rows) if (!kept.has(id)) row.node.remove();
    this.#rows = kept;
  }

  #onKey(event) {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -1e9, End: 1e9 }[event.key];
    if (step === undefined || this.#order.length === 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const before = this.#order.findIndex((session) => session.session_id === this.#current);
    const at = Math.min(this.#order.length - 1, Math.max(0, before + step));
    const session = this.#order[at];
    this.#current = session.session_id;
    this.#reveal(at);
    this.#place();
    this.#grid.setAttribute("aria-activedescendant", `row-${at}`);
    const when = session.turns_until_red === null ? "not growing" : `red in ${turns(session.turns_until_red)} turns`;
    say(`${session.session_id}, ${session.zone}, ${session.zone === "red" ? "red now" : when}`);
  }

  #reveal(at) {
    if (this.#narrow.matches) {
      this.#rows.get(this.#current)?.node.scrollIntoView({ block: "nearest" });
      return;
    }
    const top = at * ROW_HEIGHT;
    const room = this.#grid.clientHeight - 2 * ROW_HEIGHT;
    if (top < this.#grid.scrollTop) this.#grid.scrollTop = top;
    else if (top > this.#grid.scrollTop + room) this.#grid.scrollTop = top - room;
  }
}

/** The order as it stands, without those that are gone, and with those that are new at the end. */
function keptOrder(before, sessions, sorted) {
  const now = new Map(sessions.map((session) => [session.session_id, session]));
  const kept = before.flatMap(({ session_id }) => now.get(session_id) ?? []);
  for (const { session_id } of kept) now.delete(session_id);
  return [...kept, ...sorted(now.values())];
}

function makeRow() {
  const updates = [];
  const cells = COLUMNS.map((column) => {
    const cell = el(`div.${column.key}${column.right ? ".right" : ""}`, { role: "gridcell" });
    updates.push(column.make(cell));
    return cell;
  });
  const node = el("div.row", { role: "row" }, ...cells);
  return {
    node,
    update(session, now) {
      for (const update of updates) update(session, now);
    },
  };
}
