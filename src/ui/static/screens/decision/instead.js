import { el } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";

/** Characters of what stands now that are shown: a shortened block may still be long. */
const MOST_SHOWN = 20_000;
/** Rows of the ledger from other blocks that are made at once. */
const MOST_ROWS = 400;

/**
 * What the agent reads now where the block was, and the rows of the ledger that came from it; those of other blocks
 * stand behind them, folded. `titles`: block id to what it was.
 */
export function insteadText(block, content, ledger, titles) {
  const entries = ledger?.entries ?? [];
  const own = entries.filter(({ block_id }) => block_id === block.block_id);
  const others = entries.filter(({ block_id }) => block_id !== block.block_id);
  return el(
    "div.source.instead",
    { tabindex: "0", role: "region", "aria-label": "What the agent has instead" },
    ...standing(content),
    ...(own.length === 0 ? [nothingKept(block, ledger)] : [source("From this block, in the ledger", own, true)]),
    others.length === 0 ? null : rest(others, titles),
  );
}

function standing({ current, current_tokens }) {
  if (current === null) return [el("p.dim.stands", {}, "Nothing stands in its place.")];
  const text = current.length > MOST_SHOWN ? `${current.slice(0, MOST_SHOWN)}…` : current;
  return [el("p.dim.from.num", {}, `In its place now, ${whole(current_tokens)} tok`), el("code.stands", {}, text)];
}

function nothingKept(block, ledger) {
  const words = ledger === null ? "The pass wrote no ledger." : "No line of it is in the ledger.";
  return el("p.dim.not-kept", {}, block.type === "thinking" ? `${words} Thinking is not carried over.` : words);
}

function source(words, rows, isOwn = false) {
  const more = rows.length - MOST_ROWS;
  return el(
    isOwn ? "div.rows.own" : "div.rows",
    {},
    el("p.dim.from", {}, words),
    ...rows
      .slice(0, MOST_ROWS)
      .map(({ text, line }) =>
        el("code", {}, text, isOwn && line !== null ? el("span.at.num", {}, ` line ${line}`) : null),
      ),
    more > 0 ? el("p.dim.from.num", {}, count(more, "more line")) : null,
  );
}

/** The other blocks' rows, made when they are unfolded. */
function rest(entries, titles) {
  const details = el("details", {}, el("summary", {}, `The rest of the ledger, ${count(entries.length, "line")}`));
  details.addEventListener(
    "toggle",
    () => {
      const groups = new Map();
      for (const entry of entries.slice(0, MOST_ROWS)) {
        const name = titles.get(entry.block_id) ?? (entry.block_id === null ? "an earlier version" : entry.block_id);
        groups.set(name, [...(groups.get(name) ?? []), entry]);
      }
      details.append(...[...groups].map(([name, rows]) => source(`from ${name}`, rows)));
    },
    { once: true },
  );
  return details;
}
