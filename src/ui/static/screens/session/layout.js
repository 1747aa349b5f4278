import { el } from "../../draw/dom.js";

/** The panels in their order. `parts` gets those that hold more than one of it, for what is said of them. */
export function layout(parts) {
  const { lead, notices, gauge, figures, next, composition, budgets, map, decisions, carried } = parts;
  parts.now = el("section.panel.now", { "aria-label": "Now" }, gauge.node, figures.node, next.node);
  parts.budgetTurn = el("span.hint.num");
  parts.budgetPanel = el(
    "section.panel.budgets",
    { "aria-labelledby": "budgets-title" },
    el("header.panel-head", {}, el("h2", { id: "budgets-title" }, "Budgets"), parts.budgetTurn),
    budgets.node,
  );
  return [
    lead.node,
    notices.node,
    parts.now,
    el("div.session-columns", {}, composition.node, parts.budgetPanel),
    map.node,
    decisions.node,
    carried.node,
  ];
}

/** The panel of each part that is read. */
export function panelsOf(parts) {
  return [
    [parts.now, ["summary"]],
    [parts.composition.node, ["trend"]],
    [parts.budgetPanel, ["budget"]],
    [parts.map.node, ["context"]],
    [parts.decisions.node, ["history"]],
    [parts.carried.node, ["task", "notes", "checkpoints"]],
  ];
}
