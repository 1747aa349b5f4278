import { el, icon } from "../../draw/dom.js";
import { compact, count, percent, whole } from "../../draw/format.js";
import { triggerWords } from "./cause-words.js";
import { kindsIn } from "./kind-words.js";

/** How the pass went, in six steps from its trigger to what came of it. */
export function drawSteps(root, pass, blocks) {
  root.replaceChildren(
    ...[trigger(pass), considered(pass), taken(blocks), kept(pass, blocks), after(pass), since(pass, blocks)].map(
      ([name, figure, lines, zone = null]) =>
        el(
          "li",
          {},
          el("span.step-name", {}, name),
          el(
            zone === null ? "b.num" : `b.num.in-${zone}`,
            {},
            zone === null ? null : icon(`zone-${zone}`, "shape"),
            figure,
          ),
          ...lines.map((line) => el("span.num.dim", {}, line)),
        ),
    ),
  );
}

function trigger(pass) {
  const lines = [triggerWords(pass), `${whole(pass.tokens_before)} tok`];
  return ["Trigger", percent(pass.tokens_before / pass.max_tokens), lines, pass.zone_before];
}

function considered({ considered: all }) {
  if (all === null) return ["Considered", "not counted", ["by this version's journal"]];
  return ["Considered", count(all.blocks, "block"), [`${compact(all.tokens)} tok`, "all that nothing protects"]];
}

function taken(blocks) {
  if (blocks.length === 0) return ["Taken", "nothing", ["edited no block"]];
  const tokens = blocks.reduce((sum, block) => sum + block.tokens_before, 0);
  return ["Taken", count(blocks.length, "block"), [kindsIn(blocks), `${whole(tokens)} tok`]];
}

function kept({ carried }, blocks) {
  const standing = blocks.filter((block) => block.tokens_after > 0);
  const tokens = standing.reduce((sum, block) => sum + block.tokens_after, 0);
  const left =
    standing.length === 0
      ? "nothing in their places"
      : `${whole(tokens)} tok in the places of ${whole(standing.length)}`;
  if (carried.ledger !== null) {
    return ["Kept", count(carried.ledger.lines, "line"), [`ledger of ${whole(carried.ledger.tokens_after)} tok`, left]];
  }
  if (carried.summary !== null) {
    return [
      "Kept",
      count(carried.summary.facts, "fact"),
      [`summary of ${whole(carried.summary.tokens_after)} tok`, left],
    ];
  }
  return ["Kept", `${whole(tokens)} tok`, ["no line was carried over", left]];
}

function after(pass) {
  const lines = [pass.zone_after ?? "not measured", `${whole(pass.tokens_after)} tok`];
  return ["After", percent(pass.tokens_after / pass.max_tokens), lines, pass.zone_after];
}

function since({ payback, turn }, blocks) {
  const again = blocks.filter((block) => block.regret.length > 0).length;
  const figure = again === 0 ? "none needed" : `${again} needed again`;
  const paid = payback?.paid_back_turn ?? null;
  if (paid !== null) return ["Since", figure, [`paid back at turn ${paid}`, `${count(paid - turn, "turn")} later`]];
  const isMeasured = payback?.points.some((point) => point.measured !== null) ?? false;
  return ["Since", figure, [isMeasured ? "not paid back yet" : "payback not measured"]];
}
