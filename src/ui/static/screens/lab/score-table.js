import { el } from "../../draw/dom.js";
import { side } from "./panel.js";
import { difference, FIGURES, VERDICTS } from "./words.js";

/** B against A, a figure a row: both values, B less A with its interval, and what that means in a word. */
export function scoreTable(pairs) {
  const head = el(
    "tr.lab-score-head",
    {},
    el("th", { scope: "col" }, el("span.unseen", {}, "Figure")),
    el("th.n", { scope: "col" }, side("A"), el("span.unseen", {}, "A")),
    el("th.n", { scope: "col" }, side("B"), el("span.unseen", {}, "B")),
    el("th", { scope: "col" }, "B less A"),
  );
  return el("table.lab-score", {}, el("thead", {}, head), el("tbody", {}, ...pairs.map(row)));
}

function row(pair) {
  const { name, means, text } = FIGURES[pair.figure];
  return el(
    "tr",
    { "data-figure": pair.figure },
    el("th", { scope: "row" }, name, el("span.hint", {}, means)),
    el("td.n.num", {}, text(pair.a)),
    el("td.n.num", {}, text(pair.b)),
    el("td", {}, ...delta(pair, text)),
  );
}

function delta({ difference: own, verdict }, text) {
  const word = el(`span.lab-verdict.is-${verdict}`, {}, VERDICTS[verdict]);
  if (own === null) return [el("div.lab-delta", {}, el("span.hint", {}, "no run has it"))];
  const interval = own.low === own.high ? "" : `${difference(own.low, text)} to ${difference(own.high, text)}`;
  return [
    el("div.lab-delta.num", {}, el("b", {}, difference(own.mean, text)), el("span.hint", {}, interval), word),
    intervalBar(own),
  ];
}

/** The interval on a line on which zero is marked: whether it holds zero is what counts. */
function intervalBar({ mean, low, high }) {
  const reach = Math.max(Math.abs(low), Math.abs(high), 1e-9) * 1.15;
  const place = (value) => `${(50 + (value / reach) * 50).toFixed(2)}%`;
  return el(
    "div.lab-interval",
    { "aria-hidden": "true", vars: { "--low": place(low), "--high": place(high), "--mean": place(mean) } },
    el("i.zero"),
    el("i.span"),
    el("i.mean"),
  );
}
