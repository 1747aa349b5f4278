import { el, icon } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { estimateWords, needFigure, regretWord, sentence } from "./kind-words.js";

/** What each need was, in a sentence. */
function needWords({ kind, identifier, turns_since }) {
  const later = turns_since === 0 ? "in the turn in which it went" : `${count(turns_since, "turn")} after it went`;
  if (identifier !== null)
    return [el("code.quoted", {}, identifier), ` was used while no live block held it, ${later}.`];
  if (kind === "identifier") return [`An identifier of it was used while no live block held it, ${later}.`];
  if (kind === "recall") return [`The agent asked for the original, ${later}.`];
  return [`The agent made the same call again, ${later}.`];
}

/** Why the line that was missed had not been carried over; empty where that was not estimated. */
function whyNot(regret) {
  const { need, cut_off: least } = regret;
  if (need === null) return "";
  const more =
    least !== null && need >= least
      ? "; lines are taken by need for their tokens, and what two of them tell counts once"
      : "";
  return `: ${estimateWords(regret)}${more}`;
}

function lineWords(regret, linesKept, cutOff) {
  const kept = sentence(
    linesKept === 0 ? "none of its lines had been kept" : `${count(linesKept, "line")} of it had been kept`,
  );
  if (regret.need !== null) {
    const which =
      regret.line === null ? "What holds it is a value of a document" : `Line ${regret.line} of the original holds it`;
    return `${which}${whyNot(regret)}. ${kept}.`;
  }
  const least = cutOff === null ? "" : `; the last line kept had an expected need of ${needFigure(cutOff)}`;
  const where =
    regret.line === null ? "" : `Line ${regret.line} of the original holds it; its need was not estimated. `;
  return `${where}${kept}${least}.`;
}

/** The list of needs after the pass, the earliest first; each leads to its block. */
export function drawAgain(root, hint, pass, blocks, onChoose) {
  const missed = blocks.filter((block) => block.regret.length > 0);
  const needs = missed
    .flatMap((block) => block.regret.map((regret) => ({ block, regret })))
    .sort((a, b) => a.regret.turn - b.regret.turn);
  const tokens = missed.reduce((sum, block) => sum + block.tokens_before, 0);
  hint.textContent =
    missed.length === 0 ? "" : `${missed.length} of ${count(blocks.length, "block")}, ${whole(tokens)} tok`;
  if (needs.length === 0) {
    root.replaceChildren(el("p.dim", {}, "Nothing that went was needed again so far. Needs count for ten turns."));
    return;
  }
  const cutOff = pass.carried.ledger?.cut_off ?? null;
  root.replaceChildren(
    ...needs.map(({ block, regret }) =>
      el(
        "article.need",
        {},
        el(
          "p.need-head",
          {},
          icon("notice"),
          el("b.num", {}, `Turn ${regret.turn}, ${regretWord(regret.kind)}`),
          el("span.num.dim", {}, `${whole(block.tokens_before)} tok`),
        ),
        el("button.anchor.mono.name", { type: "button", on: { click: () => onChoose(block.block_id) } }, block.title),
        el("p", {}, ...needWords(regret)),
        el("p.dim.num", {}, lineWords(regret, block.lines_kept, cutOff)),
      ),
    ),
  );
}

/** The same need beside its block: what was needed, by what, and whether its line was kept. */
export function needNotice(block, keptLines) {
  // The one that says most: of a use of an identifier it is known which line was missed.
  const regret = block.regret.find(({ line }) => line !== null) ?? block.regret[0];
  if (regret === undefined) return el("p.dim", {}, "Not needed again so far.");
  const { line } = regret;
  const held = keptLines.has(line) ? "it was among the lines kept" : "it was not among the lines kept";
  const others = block.regret.length - 1;
  return el(
    "p.missed-notice",
    {},
    icon("notice"),
    el(
      "span",
      {},
      el("b", {}, `Needed again at turn ${regret.turn}. `),
      ...needWords(regret),
      line === null ? "" : ` Line ${line} holds it; ${held}${whyNot(regret)}.`,
      others === 0 ? "" : ` Needed ${count(others, "more time", "more times")} after that.`,
    ),
  );
}
