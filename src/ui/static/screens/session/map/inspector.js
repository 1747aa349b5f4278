import { el, icon } from "../../../draw/dom.js";
import { count, percent, whole } from "../../../draw/format.js";
import { plain, typeOf } from "../read/words.js";
import { titleOf } from "./block-map.js";

/** What takes no pin: tool definitions never leave, and the others are written anew by each pass. */
const WRITTEN_ANEW = new Set([
  "protected.tool_definition",
  "protected.ledger",
  "protected.summary",
  "protected.standing",
]);

/** One block: what it is, what it is worth and why, and what can be done with it. */
export class Inspector {
  node = el("div.inspector");
  #shown = "";
  #on;

  /** `showText(block)`, `pin(block)`; `guard(button)` guards what acts. */
  constructor(on) {
    this.#on = on;
  }

  /** `block`: null while there is none; `next`: the turn in which those that go next go. */
  show(block, { max, ranked, next }) {
    const key = block === null ? "" : JSON.stringify([block, max, ranked, next]);
    if (key === this.#shown && this.node.firstChild !== null) return;
    this.#shown = key;
    if (block === null) {
      this.node.replaceChildren(el("p.dim", {}, "Choose a block: what it holds, what it is worth, and what keeps it."));
      return;
    }
    const focused = this.node.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    const type = typeOf(block);
    this.node.replaceChildren(
      ...[
        el(
          "p.inspected",
          {},
          el(`i.swatch${type.hatched ? ".lined" : ""}`, { vars: { "--c": `var(${type.colour})` } }),
          el("b", {}, type.name),
          el("span.mono.dim", {}, block.block_id),
          el("span.num.dim", {}, block.turn > 0 ? `turn ${whole(block.turn)}` : "from the start"),
        ),
        el("p.inspected-title.mono", { title: titleOf(block).slice(0, 500) }, titleOf(block).slice(0, 500)),
        el(
          "p.inspected",
          {},
          el("b.num", {}, `${whole(block.tokens)} tok`),
          el("span.num.dim", {}, sizeWords(block, max)),
        ),
        el("p.fate", {}, ...fate(block, ranked, next)),
        parts(block),
        this.#actions(block),
      ].filter((part) => part !== null),
    );
    if (focused !== undefined) this.node.querySelector(`[data-action="${focused}"]`)?.focus();
  }

  #actions(block) {
    const button = (action, name, run, shape = null) =>
      el(
        "button.button",
        { type: "button", "data-action": action, on: { click: run } },
        shape === null ? null : icon(shape),
        name,
      );
    const text = button("text", "Show text", () => this.#on.showText(block));
    if (WRITTEN_ANEW.has(block.protected_by) || block.type === "system_prompt") return el("div.actions", {}, text);
    const pin = button("pin", block.pinned ? "Unpin" : "Pin", () => this.#on.pin(block), "pin");
    return el("div.actions", {}, text, this.#on.guard(pin));
  }
}

function sizeWords({ tokens, original_tokens: original, state }, max) {
  const share = `${percent(tokens / max)} of the window`;
  return original > tokens && state !== "whole" ? `${share}, ${whole(original)} tok as it came` : share;
}

function fate(block, ranked, next) {
  if (block.pinned) return [el("b", {}, "Stays. "), "Pinned: never evicted, never altered."];
  if ((block.protected_by ?? null) !== null) {
    return [el("b", {}, "Stays. "), `Protected: ${plain(block.protected_by.replace(/^protected\./, ""))}.`];
  }
  const rank = (block.rank ?? null) === null ? "" : ` Rank ${whole(block.rank)} of ${count(ranked, "block")} to go.`;
  if (block.goes_next === true) return [el("b", {}, "Goes next. "), `In the pass planned for turn ${next}.${rank}`];
  if (block.rank === undefined) return [el("span.dim", {}, "This daemon does not tell what a block is worth.")];
  return [el("b", {}, "Stays for now. "), rank === "" ? "No pass as it is set up would take it." : rank.trim()];
}

/** value × weight = part for each signal; a bar's track is the weight. */
function parts({ score = null, signals = [], rule = null }) {
  if (score === null || signals.length === 0) return null;
  const most = Math.max(...signals.map(({ weight, part }) => weight ?? Math.abs(part)), 0.01);
  const figure = (n) => (n === null ? "" : n.toFixed(2));
  const rows = signals.map(({ name, value, weight, part }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, signalName(name)),
      el("td.num", {}, figure(value)),
      el("td.num.dim", {}, figure(weight)),
      el(
        "td.bar-cell",
        {},
        el("span.part-bar", {
          vars: { "--w": String((weight ?? Math.abs(part)) / most), "--v": String(filled(value, weight, part)) },
        }),
      ),
      el("td.num", {}, part < 0 ? `−${(-part).toFixed(3)}` : part.toFixed(3)),
    ),
  );
  const names = ["Signal", "value", "× weight", "", "score"];
  return el(
    "table.parts",
    { "aria-label": "What the score is made of" },
    el("thead", {}, el("tr", {}, ...names.map((name) => (name === "" ? el("td") : el("th", { scope: "col" }, name))))),
    el("tbody", {}, ...rows),
    el(
      "tfoot",
      {},
      el(
        "tr",
        {},
        el("th", { scope: "row", colspan: "4" }, "Score", rule === null ? null : el("span.dim", {}, ` ${rule}`)),
        el("td.num", {}, score.toFixed(3)),
      ),
    ),
  );
}

function filled(value, weight, part) {
  if (value !== null && weight !== null) return Math.min(1, Math.max(0, value));
  return part > 0 ? 1 : 0;
}

function signalName(name) {
  const words = plain(name);
  return words.charAt(0).toUpperCase() + words.slice(1);
}
