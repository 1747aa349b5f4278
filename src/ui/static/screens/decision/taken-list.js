import { el, icon } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";
import { colourToken, isHatched, shortTitle } from "./block-looks.js";
import { kindsIn, methodWord, regretWord, typeWord } from "./kind-words.js";
import { ruleName } from "./rule-words.js";
import { rowsOf } from "./taken-blocks.js";

/** Rows that a group shows at once. */
const PAGE = 100;

/** What went, as a list of buttons: one tab stop, arrows and j, k move and choose. Groups unfold in their place. */
export class TakenList {
  #list;
  #hint;
  #onChoose;
  #blocks = [];
  #chosen = null;
  /** Rows shown of each group that is unfolded. */
  #unfolded = new Map();

  constructor(root, hint, onChoose) {
    this.#hint = hint;
    this.#onChoose = onChoose;
    this.#list = el("ol.taken-list", { "aria-labelledby": "taken-heading", on: { keydown: (e) => this.#key(e) } });
    root.append(HEAD(), this.#list);
  }

  show(blocks) {
    this.#blocks = blocks;
    const tokens = blocks.reduce((sum, block) => sum + block.tokens_before, 0);
    const order = blocks.some((block) => block.regret.length > 0) ? "Needed again first, then by size." : "By size.";
    this.#hint.textContent =
      blocks.length === 0 ? "" : `${count(blocks.length, "block")}, ${whole(tokens)} tok. ${order}`;
    this.#list.parentElement.classList.toggle(
      "unscored",
      blocks.every((block) => block.score === null),
    );
    this.#draw();
  }

  /** Marks a block, unfolding the group that hides it; `focus` moves the keyboard there. */
  choose(blockId, focus = false) {
    this.#chosen = blockId;
    for (const row of rowsOf(this.#blocks)) {
      const at = row.blocks?.findIndex((block) => block.block_id === blockId) ?? -1;
      if (at >= 0 && (this.#unfolded.get(row.key) ?? 0) <= at) this.#unfolded.set(row.key, at + PAGE);
    }
    this.#draw();
    const chosen = this.#list.querySelector("[aria-current]");
    if (focus) chosen?.focus({ preventScroll: true });
    if (focus) chosen?.scrollIntoView({ block: "nearest" });
  }

  /** The block `steps` rows behind the chosen one among those that are shown. */
  neighbour(steps) {
    const shown = [...this.#list.querySelectorAll("[data-block]")].map((row) => row.dataset.block);
    const at = shown.indexOf(this.#chosen);
    return shown[Math.min(Math.max(at + steps, 0), shown.length - 1)] ?? null;
  }

  #key(event) {
    const steps = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 }[event.key];
    if (steps === undefined) return;
    event.preventDefault();
    const next = this.neighbour(steps);
    if (next !== null) this.#onChoose(next, true);
  }

  #draw() {
    const hadFocus = this.#list.contains(document.activeElement);
    const focused = document.activeElement?.dataset.group;
    if (this.#blocks.length === 0) {
      this.#list.replaceChildren(
        el("li.none.dim", {}, "No block was edited: the pass wrote what is carried over anew."),
      );
      return;
    }
    this.#list.replaceChildren(...rowsOf(this.#blocks).flatMap((row) => this.#rowOrGroup(row)));
    if (!hadFocus) return;
    const again = focused === undefined ? "[aria-current]" : `[data-group="${CSS.escape(focused)}"]`;
    this.#list.querySelector(again)?.focus({ preventScroll: true });
  }

  #rowOrGroup(row) {
    if (row.block !== undefined) return [this.#row(row.block)];
    const shown = this.#unfolded.get(row.key) ?? 0;
    const rest = row.blocks.length - shown;
    const rows = row.blocks.slice(0, shown).map((block) => this.#row(block));
    const more = rest > 0 && shown > 0 ? [this.#more(row, shown, rest)] : [];
    return [this.#group(row, shown > 0), ...rows, ...more];
  }

  #row(block) {
    const isChosen = block.block_id === this.#chosen;
    return el(
      "li",
      {},
      el(
        "button.taken-row",
        {
          type: "button",
          "data-block": block.block_id,
          "aria-current": isChosen ? "true" : null,
          title: block.title,
          tabindex: isChosen ? "0" : "-1",
          on: { click: () => this.#onChoose(block.block_id) },
        },
        el(
          "span.what",
          {},
          swatch(block.type),
          el("span.mono.name", {}, shortTitle(block)),
          el("span.rule.dim", {}, underName(block)),
        ),
        el("span.right.num", {}, whole(block.tokens_before), el("span.unseen", {}, " tokens, score ")),
        score(block.score),
        since(block),
      ),
    );
  }

  #group({ key, blocks, more }, isOpen) {
    const tokens = blocks.reduce((sum, block) => sum + block.tokens_before, 0);
    const turns = blocks.map((block) => block.arrived_turn);
    const [first, last] = [Math.min(...turns), Math.max(...turns)];
    const span = first === last ? `turn ${first}` : `turns ${first}–${last}`;
    const name = more ? `${count(blocks.length, "smaller block")}, ${span}` : `${kindsIn(blocks)}, ${span}`;
    const under = more ? kindsIn(blocks) : `${ruleName(blocks[0].rule)}, ${methodWord(blocks[0].method)}`;
    return el(
      "li",
      {},
      el(
        "button.taken-row.group",
        {
          type: "button",
          "data-group": key,
          "aria-expanded": String(isOpen),
          on: { click: () => this.#unfold(key, isOpen ? 0 : PAGE) },
        },
        el("span.what", {}, swatch(blocks[0].type), el("span.name", {}, name), el("span.rule.dim", {}, under)),
        el("span.right.num", {}, whole(tokens)),
        el("span.score.dim.num", {}, scoreSpan(blocks)),
        el("span.since.dim", {}, "not needed"),
      ),
    );
  }

  #more({ key }, shown, rest) {
    const words = `${whole(Math.min(rest, PAGE))} more of ${whole(rest)}`;
    return el(
      "li",
      {},
      el("button.taken-row.group", { type: "button", on: { click: () => this.#unfold(key, shown + PAGE) } }, words),
    );
  }

  #unfold(key, rows) {
    this.#unfolded.set(key, rows);
    this.#draw();
  }
}

const HEAD = () =>
  el(
    "div.taken-row.taken-head",
    { "aria-hidden": "true" },
    el("span", {}, "Block"),
    el("span.right", {}, "tok"),
    el("span.score", {}, "Score"),
    el("span.since", {}, "Since"),
  );

/** A square in the colour of a type. */
export function swatch(type) {
  return el(isHatched(type) ? "i.swatch.hatched" : "i.swatch", { vars: { "--c": `var(${colourToken(type)})` } });
}

function underName(block) {
  const kept = block.lines_kept > 0 ? `, ${count(block.lines_kept, "line")} kept` : "";
  return `${block.tool_name ?? typeWord(block.type)}, ${ruleName(block.rule)}${kept}`;
}

function score(value) {
  if (value === null) return el("span.score.dim", {}, "not scored");
  return el(
    "span.score",
    {},
    el("i.score-bar", { vars: { "--share": String(value) } }),
    el("span.num", {}, value.toFixed(2)),
  );
}

function scoreSpan(blocks) {
  const scores = blocks.flatMap((block) => block.score ?? []);
  if (scores.length === 0) return "not scored";
  const [least, most] = [Math.min(...scores).toFixed(2), Math.max(...scores).toFixed(2)];
  return least === most ? least : `${least} to ${most}`;
}

function since(block) {
  if (block.regret.length > 0) return el("span.since", {}, icon("notice"), el("span.num", {}, sinceWords(block)));
  return el("span.since.dim", {}, sinceWords(block));
}

function sinceWords({ regret: [first], rule }) {
  if (first !== undefined) return `${regretWord(first.kind)} at ${first.turn}`;
  return rule.endsWith(".newer_result") ? "newer copy lives" : "not needed";
}
