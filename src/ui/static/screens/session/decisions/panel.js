import { el, setText } from "../../../draw/dom.js";
import { whole } from "../../../draw/format.js";
import { span, windowEnd } from "../read/words.js";
import { segments } from "../segments.js";
import { decisionRow } from "./row.js";

const FILTERS = [
  ["all", "All"],
  ["edits", "Edits"],
  ["again", "Needed again"],
];
/** Rows that one press of the button adds. */
const PAGE = 60;
/** Rows at first: what the next window begins with stands below them. */
const FIRST = 30;
/** Everything that changed the context, and why: newest first, by window. Rows are made once and kept while they say the same. */
export class DecisionsPanel {
  #list = el("ol.decisions");
  #empty = el("p.nothing.dim", { hidden: "" });
  #more = el("button.button.more", { type: "button", hidden: "" }, "Earlier decisions");
  #filter = "all";
  #shown = FIRST;
  #rows = new Map();
  #view = null;
  #on;
  node;

  /** `on`: link(decision), open(decision), more() → Promise. */
  constructor(on) {
    this.#on = on;
    const filter = segments("decision-filter", "Which decisions", FILTERS, "all", (value) => this.#choose(value));
    this.#more.addEventListener("click", () => this.#showMore());
    this.node = el(
      "section.panel.decisions-panel",
      { id: "decisions", "aria-labelledby": "decisions-title" },
      el(
        "header.panel-head",
        {},
        el("h2", { id: "decisions-title" }, "Decisions"),
        el("p.hint", {}, "Everything that changed this context, and why. Newest first."),
        filter,
      ),
      this.#list,
      this.#empty,
      this.#more,
    );
  }

  /**
   * { decisions (oldest first), windows, turn, max, isRead, isWhole, open (position of the one that is open, or null) }.
   * While nothing was read, nothing is said of what there is.
   */
  show(view) {
    this.#view = view;
    this.#draw();
  }

  /** Brings one into view; it is loaded if it is older than what is shown. */
  reveal(position) {
    const newest = this.#wanted();
    const index = newest.findIndex((decision) => decision.position === position);
    if (index >= this.#shown) {
      this.#shown = index + 1;
      this.#draw();
    }
    const row = this.#list.querySelector(`[data-position="${Number(position)}"]`);
    row?.scrollIntoView({ block: "center" });
    row?.querySelector("a, button")?.focus({ preventScroll: true });
    return row !== null;
  }

  /** Moves the focus among rows; `step` 1 or −1. */
  step(step) {
    const rows = [...this.#list.querySelectorAll(".decision")];
    const at = rows.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : -1) : at + step;
    if (next >= 0) rows[next]?.focus();
  }

  #wanted() {
    const { decisions } = this.#view;
    const wanted =
      this.#filter === "all" ? decisions : decisions.filter(({ group, again }) => group === this.#filter || again);
    return wanted.toReversed();
  }

  #choose(filter) {
    this.#filter = filter;
    this.#shown = FIRST;
    this.#draw();
  }

  async #showMore() {
    this.#shown += PAGE;
    this.#more.disabled = true;
    try {
      if (this.#wanted().length < this.#shown && !this.#view.isWhole) await this.#on.more();
    } catch (error) {
      setText(this.#empty, `Earlier decisions could not be read: ${error.message} (${error.code ?? error.reason})`);
      this.#empty.hidden = false;
    } finally {
      this.#more.disabled = false;
    }
    this.#draw();
  }

  #draw() {
    if (this.#view === null) return;
    const wanted = this.#wanted();
    const shown = wanted.slice(0, this.#shown);
    const { isRead, isWhole } = this.#view;
    this.#more.hidden = !isRead || (shown.length === wanted.length && isWhole);
    this.#empty.hidden = !isRead || shown.length > 0;
    if (shown.length === 0) setText(this.#empty, this.#nothing());
    const nodes = this.#nodes(shown);
    if (nodes.length === this.#list.children.length && nodes.every((node, i) => node === this.#list.children[i]))
      return;
    // Rows that stay are not moved out of the document and back, which would lose the focus.
    for (const [i, node] of nodes.entries()) {
      if (this.#list.children[i] !== node) this.#list.insertBefore(node, this.#list.children[i] ?? null);
    }
    while (this.#list.children.length > nodes.length) this.#list.lastElementChild.remove();
  }

  #nothing() {
    if (!this.#view.isWhole) return "None among the decisions that were read so far.";
    if (this.#filter === "again") return "Nothing that left was needed again.";
    return this.#filter === "edits" ? "Nothing was edited yet." : "Nothing was decided yet.";
  }

  #nodes(decisions) {
    const kept = new Map();
    const nodes = [];
    let window = null;
    for (const decision of decisions) {
      if (decision.window !== window) {
        window = decision.window;
        nodes.push(this.#kept(kept, `w${window}`, [this.#windowKey(window)], () => this.#heading(window)));
      }
      const { key, position } = decision;
      const isOpen = this.#view.open === position;
      const stamp = [decision, isOpen, this.#view.max];
      const make = () => decisionRow(decision, { ...this.#on, isOpen, max: this.#view.max });
      nodes.push(this.#kept(kept, kept.has(key) ? `${key} ${nodes.length}` : key, stamp, make));
    }
    this.#rows = kept;
    return nodes;
  }

  /** The node of the last drawing, where all that it shows is the same. */
  #kept(kept, key, stamp, make) {
    const known = this.#rows.get(key);
    const isSame = known !== undefined && stamp.every((part, i) => part === known.stamp[i]);
    const row = isSame ? known : { stamp, node: make() };
    if (!isSame && known?.node.contains(document.activeElement)) {
      queueMicrotask(() => row.node.querySelector("a, button")?.focus({ preventScroll: true }));
    }
    kept.set(key, row);
    return row.node;
  }

  #windowKey(number) {
    const window = this.#view.windows.find((known) => known.number === number);
    return JSON.stringify([
      window ?? null,
      number === this.#view.windows.at(-1)?.number,
      window?.to_turn === null ? this.#view.turn : 0,
    ]);
  }

  #heading(number) {
    const { windows, turn } = this.#view;
    const window = windows.find((known) => known.number === number);
    const isLast = window !== undefined && window === windows.at(-1);
    const turns = window === undefined ? "" : span(Math.max(1, window.from_turn), window.to_turn ?? Math.max(1, turn));
    const end =
      isLast && window.to_turn === null ? "current" : window === undefined ? "" : `ended: ${windowEnd(window.reason)}`;
    return el(
      "li.window-head",
      {},
      el("h3", {}, `Window ${whole(number)}`),
      el("span.num.dim", {}, turns),
      el("span.dim", {}, end),
    );
  }
}
