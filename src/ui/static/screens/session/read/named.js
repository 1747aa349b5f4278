import { count, whole } from "../../../draw/format.js";
import { shortened } from "../../../draw/names.js";

/** What an address names, held against what the session has: what is there, and in words what is not. */

const INTEGER = /^-?\d+$/;

/** The turn that is named, if the session has had it: { turn, missing } with words, or null, for each. */
export function turnNamed(asked, last) {
  if (asked === null || asked === "") return { turn: null, missing: null };
  const turn = INTEGER.test(asked) ? Number(asked) : Number.NaN;
  if (turn >= 1 && turn <= last) return { turn, missing: null };
  return { turn: null, missing: `Turn ${figureOr(asked)} is not of this session: it has ${whole(last)}.` };
}

/** Words for a window that the session does not have; null when it has, or none is named. */
export function windowMissing(asked, windows) {
  if (asked === null || asked === "" || asked === "all" || windows.length === 0) return null;
  if (windows.some(({ number }) => String(number) === asked)) return null;
  return `Window ${figureOr(asked)} is not of this session: it has ${count(windows.length, "window")}.`;
}

/** When a block left, by which pass: { turn, passId }; null where no decision that was read tells it. */
export function departureOf(block, decisions) {
  const pass = decisions.findLast(
    ({ passId, entries }) =>
      passId !== null && entries.some(({ type, data }) => LEAVING.has(type) && data.block_id === block),
  );
  return pass === undefined ? null : { turn: pass.turn, passId: pass.passId };
}

const LEAVING = new Set(["block.evicted", "block.merged"]);

/** Words for a decision that was looked for and is not there. `isWhole`: all of the session's decisions were read. */
export function decisionMissing(asked, decisions, isWhole) {
  if (asked === null) return null;
  if (!INTEGER.test(asked)) return `Decision ${figureOr(asked)} is not of this session.`;
  const position = Number(asked);
  if (decisions.some((decision) => decision.position === position)) return null;
  const isEarlier = !isWhole && position < (decisions[0]?.position ?? 0);
  return isEarlier
    ? `Decision ${figureOr(asked)} is not among the latest ${count(decisions.length, "decision")}; what was before them is read below.`
    : `Decision ${figureOr(asked)} is not of this session.`;
}

/** A number as figures, anything else as it was written, as far as it is short. */
function figureOr(asked) {
  return INTEGER.test(asked) ? whole(Number(asked)).replace("-", "−") : `“${shortened(asked, 40)}”`;
}
