import { el } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { needFigure } from "./kind-words.js";

/** What the pass wrote anew of contextd's own: the ledger, the summary with its text, the standing message with its text. */
export function drawCarried(root, { carried }) {
  const parts = [ledgerPart(carried.ledger), summaryPart(carried.summary), standingPart(carried.standing)].filter(
    (part) => part !== null,
  );
  if (parts.length === 0) {
    root.replaceChildren(el("p.dim", {}, "The pass left ledger, summary and standing message as they were."));
    return;
  }
  const open = new Set([...root.querySelectorAll("details[open]")].map((node) => node.dataset.part));
  root.replaceChildren(...parts);
  for (const node of root.querySelectorAll("details")) node.open = open.has(node.dataset.part);
}

const change = (before, after) => `${whole(before)} → ${whole(after)} tok`;

function part(name, figures, words, text, key) {
  return el(
    "article.carried",
    {},
    el("p.carried-head", {}, el("b", {}, name), el("span.num.dim", {}, figures)),
    el("p.dim.num", {}, words),
    text === null || text === "" ? null : shownText(text, key),
  );
}

function shownText(text, key) {
  return el(
    "details",
    { "data-part": key },
    el("summary", {}, "Show its text"),
    el("pre.source", { tabindex: "0", role: "region", "aria-label": "Text" }, text),
  );
}

function ledgerPart(ledger) {
  if (ledger === null) return null;
  const { lines, candidates, tokens_before, tokens_after, cut_off: least } = ledger;
  const cut =
    least === null ? "No other line was left out." : `The last line kept had an expected need of ${needFigure(least)}.`;
  return part(
    "Ledger",
    change(tokens_before, tokens_after),
    `${count(lines, "line")} of ${whole(candidates)} hidden ones. ${cut}`,
    textOf(ledger),
    "ledger",
  );
}

function textOf({ entries }) {
  return entries.map(({ text, need }) => (need === null ? text : `${needFigure(need)}  ${text}`)).join("\n");
}

function summaryPart(summary) {
  if (summary === null) return null;
  const { summarizer: by, generation, passages, facts, tokens_before, tokens_after, text } = summary;
  const who = by === "llm" ? "Written by a model" : "Written by rules, of whole lines";
  const words = `${who}: ${count(facts, "line")} of ${count(passages, "block")}. Folded ${count(generation, "time")}.`;
  return part("Summary", change(tokens_before, tokens_after), words, text, "summary");
}

function standingPart(standing) {
  if (standing === null) return null;
  const { notes, constraints, left_out: left, tokens_before, tokens_after, text } = standing;
  const more = left === 0 ? "" : ` ${count(left, "entry", "entries")} had no room.`;
  const words = `${count(notes, "note")}, ${count(constraints, "rule")} that nothing else shows.${more}`;
  return part("Standing message", change(tokens_before, tokens_after), words, text, "standing");
}
