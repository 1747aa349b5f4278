import { el, icon } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { estimateWords } from "./kind-words.js";
import { linesOf, marksToShow, OPENED_AT_ONCE, stretchesOf } from "./text-stretches.js";

/** Characters of one line that are shown at first, and that each further click adds. */
const LINE_SHOWN = 1_000;
const LINE_MORE = 20_000;

/**
 * The original by numbered lines: those that the ledger kept with a tick, those that were needed later with "!", the
 * turn, and what was expected of them. `needed`: line to its need, as `pass.explain` tells it. What lies between is folded, and only what is shown is made.
 */
export function originalText(text, { kept, needed }) {
  const lines = linesOf(text);
  const marked = marksToShow(kept, [...needed.keys()]);
  const digits = String(lines.length).length;
  const box = el("div.source", {
    tabindex: "0",
    role: "region",
    "aria-label": "Original text, by lines",
    vars: { "--digits": `${Math.max(2, digits)}ch` },
  });
  const body = el("div.lines");
  box.append(body);
  const line = (number) => lineOf(number, lines[number - 1] ?? "", kept.has(number), needed.get(number) ?? null);
  for (const { from, to, isShown } of stretchesOf(lines.length, marked)) {
    body.append(...(isShown ? range(from, to).map(line) : [fold(from, to, line, kept)]));
  }
  return { box, lines: lines.length };
}

function range(from, to) {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

/** A run of lines that are not shown. It opens from its beginning, in steps where it is long. */
function fold(from, to, line, kept) {
  const size = to - from + 1;
  const button = el("button.fold.num", { type: "button", title: "Show these lines" });
  const held = [...kept].filter((number) => number >= from && number <= to).length;
  const part = size > OPENED_AT_ONCE ? `, the next ${OPENED_AT_ONCE}` : "";
  button.textContent = `${whole(size)} more ${size === 1 ? "line" : "lines"}, ${held === 0 ? "not" : whole(held)} kept${part}`;
  button.addEventListener("click", () => {
    const end = Math.min(to, from + OPENED_AT_ONCE - 1);
    const shown = range(from, end).map(line);
    const rest = end < to ? [fold(end + 1, to, line, kept)] : [];
    const hadFocus = document.activeElement === button;
    button.replaceWith(...shown, ...rest);
    if (hadFocus) (rest[0] ?? shown[0].closest(".source")).focus({ preventScroll: true });
  });
  return button;
}

function lineOf(number, text, isKept, regret) {
  const kind = regret !== null ? ".missed" : isKept ? ".kept" : "";
  return el(
    `div.line${kind}`,
    { "data-line": String(number) },
    el("span.number.num", {}, String(number)),
    mark(isKept, regret),
    code(text),
    regret === null ? null : el("span.needed.num", {}, neededWords(regret, isKept)),
  );
}

function neededWords(regret, isKept) {
  const why = isKept ? "kept" : estimateWords(regret);
  return `needed at turn ${regret.turn}${why === "" ? "" : `: ${why}`}`;
}

function mark(isKept, regret) {
  if (regret !== null)
    return el("span.mark", {}, el("span", { "aria-hidden": "true" }, "!"), el("span.unseen", {}, "needed later: "));
  if (isKept) return el("span.mark", {}, icon("kept"), el("span.unseen", {}, "kept: "));
  return el("span.mark");
}

/** The line's own text; of a very long one its beginning, and a button for what follows. */
function code(text) {
  if (text.length <= LINE_SHOWN + 200) return el("code", {}, text);
  const node = el("code", {}, text.slice(0, cut(text, LINE_SHOWN)));
  const button = el("button.rest.num", { type: "button" });
  let shown = cut(text, LINE_SHOWN);
  const tell = () => {
    button.textContent = `${count(text.length - shown, "more character")}`;
  };
  button.addEventListener("click", () => {
    const end = cut(text, shown + LINE_MORE);
    node.insertBefore(document.createTextNode(text.slice(shown, end)), button);
    shown = end;
    if (shown >= text.length) button.remove();
    else tell();
  });
  tell();
  node.append(button);
  return node;
}

/** `at`, or one unit before it where that would halve a character. */
function cut(text, at) {
  if (at >= text.length) return text.length;
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}
