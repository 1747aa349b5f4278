import { colour, faded } from "../../../draw/colours.js";
import { widthOf } from "../../../draw/font.js";
import { percent, windowSize, zoneWord } from "../../../draw/format.js";
import { hatch, words, zoneBands, zoneShape } from "../marks.js";

export const TOP = 14;
export const BOTTOM = 22;
const NAME_HEIGHT = 13;
/** Room that the number of a turn takes, CSS pixels. */
const LABEL_ROOM = 32;

/** Height of a count of tokens in a chart whose top is `most`. */
export function heights(height, most) {
  return (tokens) => height - BOTTOM - (tokens / most) * (height - TOP - BOTTOM);
}

/** The zones as places on the axis, faint behind and exact on the right edge, with their names; the output reserve. */
export function drawGround(context, { axis, y, max, most, thresholds, reserve, isWide }) {
  const { left, end } = axis;
  let lowest = Number.POSITIVE_INFINITY;
  for (const [zone, from, to] of zoneBands(thresholds, max, most)) {
    context.fillStyle = faded(`--${zone}`, 0.07);
    context.fillRect(left, y(to), end - left, y(from) - y(to));
    context.fillStyle = colour(`--${zone}`);
    context.fillRect(end, y(to), 4, y(from) - y(to) - 1);
    if (from > 0) {
      context.fillStyle = faded(`--${zone}`, 0.55);
      context.fillRect(left, Math.round(y(from)), end - left, 1);
    }
    // Names of narrow bands move up, so that none lies on another.
    lowest = Math.min((y(from) + y(to)) / 2, lowest - NAME_HEIGHT);
    name(context, zone, from / max, end, lowest, isWide);
  }
  if (reserve > 0) {
    const depth = y(max - reserve) - y(max);
    hatch(context, left, y(max), end - left, depth, { ink: faded("--faint", 0.45) });
    if (depth > 9) words(context, "kept for output", left + 6, y(max - reserve / 2), { ink: "--muted", size: 10.5 });
  }
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    words(context, part === 0 ? "0" : windowSize(Math.round(part * max)), left - 8, y(part * max), { align: "right" });
  }
}

function name(context, zone, share, end, y, isWide) {
  zoneShape(context, zone, end + (isWide ? 15 : 11), y, 4.4);
  if (!isWide) return;
  const word = zoneWord(zone);
  words(context, word, end + 25, y, { ink: `--${zone}-ink`, weight: 600 });
  if (share > 0) words(context, `≥ ${percent(share, 0)}`, end + 31 + widthOf(context, word, 11, 600), y);
}

/** The numbers of the turns: as many as there is room for beside the last and those that others draw (`named`). */
export function drawTurns(context, axis, height, named) {
  const { from, to, step } = axis;
  const every = [1, 2, 3, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2500, 5000].find((n) => n * step > 34) ?? 10_000;
  for (let turn = from; turn <= to; turn += every) {
    if ([to, ...named].some((other) => Math.abs(other - turn) * step < LABEL_ROOM)) continue;
    words(context, String(turn), axis.x(turn) + step / 2, height - 9, { align: "center" });
  }
  words(context, String(to), axis.x(to) + step / 2, height - 9, { align: "center", ink: "--text", weight: 600 });
  words(context, "turn", axis.left - 8, height - 9, { align: "right", size: 10 });
}
