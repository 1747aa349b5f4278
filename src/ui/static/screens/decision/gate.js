import { el } from "../../draw/dom.js";
import { count, whole } from "../../draw/format.js";

const THIN = "\u202f";

/** Turns after which what the pass saves has paid for what it cost; Infinity when it saves nothing. */
export function breakEven({ cost, tokens_freed, read_price }) {
  const saved = tokens_freed * read_price;
  return saved > 0 ? cost / saved : Number.POSITIVE_INFINITY;
}

/** What rewriting the provider's cache costs once, against what each turn saves, and who decided. */
export function drawGate(root, pass) {
  const { gate, shallower } = pass;
  if (gate === null) {
    root.replaceChildren(
      el(
        "p.dim",
        {},
        "This pass was not weighed against the cache: the end of a window, or a pass without edits, is not.",
      ),
    );
    return;
  }
  const saved = gate.tokens_freed * gate.read_price;
  const price = `(${priceOf(gate.write_price)} − ${priceOf(gate.read_price)})`;
  root.replaceChildren(
    el(
      "p.gate-words",
      {},
      `Frees ${whole(gate.tokens_freed)} tok of each further turn, paid for once by writing ${whole(gate.tokens_rewritten)} tok again.`,
    ),
    el(
      "table.sum",
      {},
      el(
        "tbody",
        {},
        line("Saved a turn", "read price", `${whole(gate.tokens_freed)} × ${priceOf(gate.read_price)}`, whole(saved)),
        line("Paid once", "write less read", `${whole(gate.tokens_rewritten)} × ${price}`, whole(gate.cost)),
      ),
      el(
        "tfoot",
        {},
        line("Break-even", "", `${count(gate.expected_remaining_turns, "turn")} expected`, turnWords(breakEven(gate))),
      ),
    ),
    el("p", {}, `${shallowerWords(shallower)}${decisionWords(pass)}`),
    el("p", {}, outcomeWords(pass)),
    el(
      "p.dim",
      {},
      "Figures are in tokens at the price of a fresh input token, as they were estimated before the pass.",
    ),
  );
}

/** A share of the fresh price, without the dust of its division. */
function priceOf(price) {
  return String(Number(price.toPrecision(3)));
}

function line(name, note, sum, figure) {
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, name, note === "" ? null : el("span.dim", {}, ` ${note}`)),
    el("td.right.num.dim", {}, sum),
    el("td.right.num", {}, figure),
  );
}

function turnWords(turns) {
  return Number.isFinite(turns) ? `${turns.toFixed(1)}${THIN}turns` : "never";
}

function shallowerWords(shallower) {
  if (shallower === null) return "";
  const turns = breakEven(shallower);
  return `A pass half as deep would break even after ${turnWords(turns)}. `;
}

/** What the pass did in the end: what it carried over takes from what it freed, and is written too. */
function outcomeWords({ gate, tokens_before, tokens_after, tokens_rewritten }) {
  const freed = tokens_before - tokens_after;
  const turns = breakEven({
    cost: tokens_rewritten * (gate.write_price - gate.read_price),
    tokens_freed: freed,
    read_price: gate.read_price,
  });
  return `As it came out, with what it carried over: ${whole(freed)} tok freed, ${whole(tokens_rewritten)} tok written again, break-even ${Number.isFinite(turns) ? `after ${turnWords(turns)}` : "never"}.`;
}

function decisionWords({ gate, cause }) {
  const pays = gate.saving > gate.cost;
  if (gate.decided)
    return pays ? "The gate decided: over the turns expected it saves more than it costs." : "The gate decided.";
  const why = { red: "In red", orange: "In orange", overflow: "After an overflow", budget: "Over a budget" }[cause];
  const because = why ?? "Here";
  return `${because} the gate does not decide whether to edit, only where and how deep${pays ? "" : "; by its figures alone it would have refused"}.`;
}
