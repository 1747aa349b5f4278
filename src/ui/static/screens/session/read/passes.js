import { count, percent, signed } from "../../../draw/format.js";
import { causeWord } from "./words.js";

/** Types of which those with a pass_id belong to that pass. */
export const PASS_TYPES = new Set([
  "history.compacted",
  "block.evicted",
  "block.merged",
  "block.truncated",
  "block.summarized",
  "ledger.rebuilt",
  "summary.rewritten",
  "standing.rewritten",
  "constraint.reinserted",
  "fidelity.evaluated",
  "regret.detected",
]);

/** A pass in words. `entries`: history.compacted and all that share its id. */
export function passOf(entries) {
  const data = entries.find(({ type }) => type === "history.compacted").data;
  const of = (type) => entries.filter((entry) => entry.type === type);
  const evicted = of("block.evicted").length;
  const merged = of("block.merged").length;
  const shortened = of("block.summarized").length + of("block.truncated").length;
  const ledger = of("ledger.rebuilt").at(-1)?.data;
  const summary = of("summary.rewritten").at(-1)?.data;
  const rules = of("constraint.reinserted").length;
  const doings = [
    evicted > 0 ? `evicted ${count(evicted, "block")}` : null,
    merged > 0 ? `merged ${count(merged, "block")}` : null,
    shortened > 0 ? `shortened ${count(shortened, "block")}` : null,
    summary !== undefined && summary.passages > 0 ? `folded ${count(summary.passages, "passage")}` : null,
    ledger !== undefined && ledger.lines > 0 ? `kept ${count(ledger.lines, "line")}` : null,
    rules > 0 ? `put ${count(rules, "rule")} back` : null,
  ].filter((doing) => doing !== null);
  const said = doings.length === 0 ? `edited ${count(data.edits, "unit")}` : doings.join(", ");
  return {
    kind: kindOf(data, { evicted, merged, ledger }),
    shape: evicted === 0 && merged > 0 ? "merge" : evicted === 0 && shortened > 0 ? "summary" : "edit",
    group: "edits",
    what: said.charAt(0).toUpperCase() + said.slice(1),
    why: causeWord(data.cause),
    before: data.tokens_before,
    after: data.tokens_after,
    figure: signed(data.tokens_after - data.tokens_before),
    outcome: outcomeOf(of("fidelity.evaluated").at(-1)?.data, of("regret.detected")),
  };
}

function kindOf({ strategy, summarizer }, { evicted, merged, ledger }) {
  if (strategy.includes("conversation_compaction") || summarizer === "llm") return "Fold";
  if (evicted > 0) return "Eviction";
  if (merged > 0) return "Merge";
  return ledger === undefined ? "Summary" : "Ledger";
}

function outcomeOf(fidelity, regrets) {
  const again = new Set(regrets.map(({ data }) => data.block_id)).size;
  const needed = again === 0 ? "none needed again" : `${again} needed again`;
  return fidelity === undefined || fidelity.probes === 0
    ? needed
    : `${needed}; ${percent(fidelity.score, 0)} of facts kept${fidelity.below_floor ? ", below the floor" : ""}`;
}
