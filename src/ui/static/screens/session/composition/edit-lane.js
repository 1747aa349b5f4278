import { el, icon } from "../../../draw/dom.js";

/** Least distance of two marks, px. */
const APART = 19;
const SHOWN_IN_TIP = 4;
/** What stands for several decisions in one place. */
const RANK = ["Overflow", "Fold", "Eviction", "Merge", "Ledger", "Window", "Regret", "Recall", "Alert", "Checkpoint"];

/** One shape a decision, on the chart's axis: what leads to an explanation is filled. Those that would touch are one. */
export class EditLane {
  #marks = el("div.lane-marks");
  node = el("div.lane.edit-lane", {}, el("span.lane-name", { "aria-hidden": "true" }, "edits"), this.#marks);
  #tip;
  #link;
  #onOpen;
  #shown = "";

  /** `link(decision)`: address of its explanation, null without one; `onOpen(decision)`: shows it in the list. */
  constructor(tip, { link, onOpen }) {
    this.#tip = tip;
    this.#link = link;
    this.#onOpen = onOpen;
  }

  show(decisions, axis) {
    const groups = together(decisions, axis);
    const key = JSON.stringify(
      groups.map(({ x, decisions: of }) => [Math.round(x), of.length, of[0].key, of.at(-1).key]),
    );
    if (key === this.#shown) return;
    this.#shown = key;
    this.#marks.replaceChildren(...groups.map((group) => this.#mark(group)));
  }

  #mark({ x, decisions }) {
    const shown = foremost(decisions);
    const href = this.#link(shown);
    const more = decisions.length === 1 ? "" : `, and ${decisions.length - 1} more`;
    const lines = tipLines(decisions);
    const on = {
      pointerenter: (event) => this.#point(event.currentTarget, lines),
      pointerleave: () => this.#tip.hide(),
      focus: (event) => this.#point(event.currentTarget, lines),
      blur: () => this.#tip.hide(),
      click: (event) => {
        this.#tip.hide();
        if (href !== null) return;
        event.preventDefault();
        this.#onOpen(shown);
      },
    };
    const shared = { "aria-label": `Turn ${shown.turn}: ${shown.what}${more}`, vars: { "--x": `${x}px` }, on };
    const look = `${shown.group === "again" ? ".again" : ""}${decisions.length > 1 ? ".several" : ""}`;
    return href === null
      ? el(`button.mark${look}`, { type: "button", ...shared }, icon(shown.shape, "icon14"))
      : el(`a.mark${look}`, { href, ...shared }, icon(shown.shape, "icon14"));
  }

  #point(node, lines) {
    const { left, top, width, height } = node.getBoundingClientRect();
    this.#tip.show(lines, left + width / 2, top + height / 2, height / 2 + 6);
  }
}

function together(decisions, axis) {
  const groups = [];
  for (const decision of decisions) {
    if (!axis.has(decision.turn)) continue;
    const x = axis.x(decision.turn) + axis.step / 2;
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < APART) last.decisions.push(decision);
    else groups.push({ x, decisions: [decision] });
  }
  return groups;
}

function foremost(decisions) {
  const rank = ({ kind }) => (RANK.includes(kind) ? RANK.indexOf(kind) : RANK.length);
  return decisions.reduce((first, decision) => (rank(decision) < rank(first) ? decision : first));
}

function tipLines(decisions) {
  const lines = decisions.slice(0, SHOWN_IN_TIP).flatMap(({ turn, what, why }) => {
    const head = el("span", {}, el("b", {}, `Turn ${turn} `), what);
    return why === "" ? [head] : [head, why];
  });
  return decisions.length > SHOWN_IN_TIP ? [...lines, `and ${decisions.length - SHOWN_IN_TIP} more`] : lines;
}
