import { deedsOf, deedWords, editsOf, passKind } from "../../../app/pass-words.js";
import { count, signed } from "../../../draw/format.js";
import { causeWord } from "./words.js";

/** A pass in words. `entries`: history.compacted and all that share its id. */
export function passOf(entries) {
  const data = entries.find(({ type }) => type === "history.compacted").data;
  const of = (type) => entries.filter((entry) => entry.type === type);
  const deeds = deedsOf(editsOf(entries));
  const ledger = of("ledger.rebuilt").at(-1)?.data;
  const summary = of("summary.rewritten").at(-1)?.data;
  const rules = of("constraint.reinserted").length;
  const doings = [
    deedWords(deeds),
    summary !== undefined && summary.passages > 0 ? `folded ${count(summary.passages, "passage")}` : null,
    ledger !== undefined && ledger.lines > 0 ? `kept ${count(ledger.lines, "line")}` : null,
    rules > 0 ? `put ${count(rules, "rule")} back` : null,
  ].filter((doing) => doing !== null);
  const said = doings.join(", ");
  return {
    kind: passKind(data, deeds),
    shape: { merged: "merge", shortened: "summary" }[deeds.parts[0]?.deed] ?? "edit",
    group: "edits",
    what: said.charAt(0).toUpperCase() + said.slice(1),
    why: causeWord(data.cause),
    before: data.tokens_before,
    after: data.tokens_after,
    figure: signed(data.tokens_after - data.tokens_before),
    outcome: outcomeOf(of("fidelity.evaluated").at(-1)?.data, of("regret.detected")),
  };
}

function outcomeOf(fidelity, regrets) {
  const again = new Set(regrets.map(({ data }) => data.block_id)).size;
  const needed = again === 0 ? "none needed again" : `${again} needed again`;
  return fidelity === undefined || fidelity.probes === 0
    ? needed
    : `${needed}; ${fidelity.kept} of ${count(fidelity.probes, "fact")} kept${fidelity.below_floor ? ", below the floor" : ""}`;
}
