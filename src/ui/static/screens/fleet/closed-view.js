import { el } from "../../draw/dom.js";
import { whole } from "../../draw/format.js";
import { CLOSED_COLUMNS, closedWords, lastClosedFirst } from "./closed-columns.js";
import { ClosedList } from "./closed-list.js";
import { SessionTable } from "./session-table.js";

/** Nothing is said of a reading that takes less, ms. */
const QUIET_MS = 150;

/** The table of the closed sessions, with what is read for it. */
export class ClosedView {
  #list;
  #table;
  #told = null;
  #askedAt = 0;
  #choices = null;
  #repaint;

  /** As a SessionTable; `call(method, params)`, and `repaint()` when something is to be drawn. */
  constructor(parts, to, { call, repaint }) {
    this.#repaint = repaint;
    this.#list = new ClosedList(call, (isOther) => {
      if (isOther) this.#table.filter(() => true);
      else this.#table.replaced();
      repaint();
    });
    this.#table = new SessionTable(parts, to, {
      columns: CLOSED_COLUMNS,
      order: lastClosedFirst,
      counted: (length) => this.#counted(length),
      spoken: closedWords,
      onEnd: () => this.#list.more(),
    });
  }

  /** Reads what is chosen, unless it was read. */
  choose(choices) {
    this.#choices = choices;
    this.#askedAt = performance.now();
    setTimeout(this.#repaint, QUIET_MS + 10);
    this.#list.choose(choices.asked);
  }

  news() {
    this.#list.news();
  }

  /** What was read under any choice, and whether it is all there is. */
  get offered() {
    const { seen, isWhole } = this.#list;
    return [[...seen.values()], isWhole && this.#choices?.isOpen === true];
  }

  paint(now) {
    this.#table.paint(this.#list.sessions, now);
    this.#tell();
  }

  key(event) {
    return this.#table.key(event);
  }

  close() {
    this.#list.close();
    this.#table.close();
  }

  #counted(length) {
    const { total, isWhole, fault } = this.#list;
    if (fault !== null && length > 0) return `${whole(length)}, more could not be read`;
    if (isWhole || length === 0) return whole(length);
    return total === null ? `the last ${whole(length)}` : `the last ${whole(length)} of ${whole(total)}`;
  }

  /** In the place of the rows while there are none. */
  #tell() {
    const { fault, isRead, isWhole } = this.#list;
    const words = fault === null ? this.#words(isRead, isWhole) : `They could not be read: ${fault.message}`;
    if (words === this.#told) return;
    this.#told = words;
    if (fault === null) {
      this.#table.tell(el("p", {}, words));
      return;
    }
    const code = fault.code === null ? fault.reason : `${fault.code} ${fault.reason}`;
    const again = el("button.button", { type: "button", on: { click: () => this.#list.again() } }, "Try again");
    this.#table.tell(el("p", {}, words), el("p.mono", {}, code), again);
  }

  #words(isRead, isWhole) {
    if (!isRead) return performance.now() - this.#askedAt < QUIET_MS ? "" : "Reading the closed sessions.";
    if (!isWhole) return "None of the last ones is of this kind; looking at earlier ones.";
    if (this.#choices.isOpen) return "No session was closed whose events are still kept.";
    return "No closed session is of this kind.";
  }
}
