import { el, icon } from "../../../draw/dom.js";
import { percent, signed, whole, zoneWord } from "../../../draw/format.js";

/** The turn under the cursor, or the last one, in figures. */
export function readout(turn, max) {
  if (turn === null) return [el("span.dim", {}, "no turn yet")];
  const { zone, tokens, growth, edited } = turn;
  const came = growth === null ? null : el("span.dim", {}, `${signed(growth)} in the turn`);
  const went = edited === null ? null : el("span.dim", {}, `${signed(edited)} by an edit`);
  return [
    el("span", {}, `Turn ${whole(turn.turn)}`),
    el(`span.zone.in-${zone}`, {}, icon(`zone-${zone}`, "shape"), zoneWord(zone)),
    el("span", {}, `${whole(tokens)} tok, ${percent(tokens / max)}`),
    came,
    went,
  ].filter((part) => part !== null);
}

export function spoken(turn, max) {
  return `Turn ${turn.turn}, ${turn.zone}, ${whole(turn.tokens)} tokens, ${percent(turn.tokens / max)}`;
}
