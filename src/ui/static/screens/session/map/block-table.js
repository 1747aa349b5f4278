import { el } from "../../../draw/dom.js";
import { percent, whole } from "../../../draw/format.js";
import { typeOf } from "../read/words.js";
import { titleOf } from "./block-map.js";

/** Rows made at most: a longer list is cut, and says so. */
const MOST_ROWS = 500;

/** The blocks in prompt order as a table: what the map tells, for those who do not see it. */
export class BlockTable {
  node = el("div.block-table", { tabindex: "0", role: "region", "aria-label": "Blocks in prompt order" });
  #onChoose;
  #shown = "";

  constructor(onChoose) {
    this.#onChoose = onChoose;
  }

  show({ blocks, max, chosen }) {
    const key = JSON.stringify([
      chosen,
      blocks.map(({ block_id, tokens, score, pinned, goes_next }) => [block_id, tokens, score, pinned, goes_next]),
    ]);
    if (key === this.#shown) return;
    this.#shown = key;
    const names = ["Block", "Type", "Title", "Turn", "Tokens", "Share", "Score", "Fate"];
    const rows = blocks.slice(0, MOST_ROWS).map((block) => this.#row(block, max, chosen));
    const rest = blocks.length - rows.length;
    const table = el(
      "table",
      {},
      el("thead", {}, el("tr", {}, ...names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...rows),
    );
    this.node.replaceChildren(table, ...(rest > 0 ? [el("p.dim", {}, `and ${whole(rest)} more`)] : []));
  }

  #row(block, max, chosen) {
    const open = el("button.mono", { type: "button", on: { click: () => this.#onChoose(block) } }, block.block_id);
    const isChosen = block.block_id === chosen;
    return el(
      `tr${isChosen ? ".chosen" : ""}`,
      isChosen ? { "aria-current": "true" } : {},
      el("th", { scope: "row" }, open),
      el("td", {}, typeOf(block).name),
      el("td.title", {}, titleOf(block).slice(0, 200)),
      el("td.num", {}, block.turn > 0 ? whole(block.turn) : "start"),
      el("td.num", {}, whole(block.tokens)),
      el("td.num", {}, percent(block.tokens / max)),
      el("td.num", {}, (block.score ?? null) === null ? "–" : block.score.toFixed(3)),
      el("td", {}, fateWord(block)),
    );
  }
}

function fateWord({ pinned, protected_by: rule, goes_next: goes }) {
  if (pinned) return "pinned";
  if ((rule ?? null) !== null) return "protected";
  return goes === true ? "goes next" : "stays for now";
}
