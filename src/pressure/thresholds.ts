import type { ZoneThresholds } from "../model/zone.ts";

/** Thresholds by the size of the window: a small window fills in fewer turns, so it is acted on earlier. */
const BY_WINDOW: readonly { readonly upTo: number; readonly thresholds: ZoneThresholds }[] = [
  { upTo: 8_192, thresholds: { yellow: 0.4, orange: 0.65, red: 0.8 } },
  { upTo: 32_768, thresholds: { yellow: 0.45, orange: 0.7, red: 0.85 } },
  { upTo: 131_072, thresholds: { yellow: 0.5, orange: 0.75, red: 0.9 } },
];
const ABOVE: ZoneThresholds = { yellow: 0.55, orange: 0.8, red: 0.9 };

/** Share of the window that stays between two thresholds when a lowered red pushes the others down. */
const LEAST_GAP = 0.05;

/** Thresholds of `pressure.thresholds: auto` for a window of `window` tokens ("8k" and "8192" are one class). */
export function autoThresholds(window: number): ZoneThresholds {
  return BY_WINDOW.find((row) => window <= row.upTo)?.thresholds ?? ABOVE;
}

/**
 * The thresholds that apply: the configured ones, or those of the window's size, with red lowered to
 * `1 - outputReserve / window` where it stands above it, because past that point the answer has no room.
 *
 * A lowered red moves orange, and orange moves yellow, no further than it must: each keeps a gap of 0.05 below
 * the next (its own gap where that was smaller, and never more than a quarter of what red has left), so that
 * 0 < yellow < orange < red holds for any reserve.
 *
 * @param outputReserve tokens, 0 <= outputReserve < window.
 * @throws RangeError when the reserve leaves no window.
 */
export function effectiveThresholds(
  configured: ZoneThresholds | "auto",
  window: number,
  outputReserve: number,
): ZoneThresholds {
  if (!(outputReserve >= 0 && outputReserve < window)) {
    throw new RangeError(`an output reserve of ${outputReserve} tokens does not fit a window of ${window}`);
  }
  const wanted = configured === "auto" ? autoThresholds(window) : configured;
  const highestRed = 1 - outputReserve / window;
  if (wanted.red <= highestRed) return wanted;
  const red = highestRed;
  const most = Math.min(LEAST_GAP, red / 4);
  const orange = Math.min(wanted.orange, red - Math.min(most, wanted.red - wanted.orange));
  const yellow = Math.min(wanted.yellow, orange - Math.min(most, wanted.orange - wanted.yellow));
  return { yellow, orange, red };
}
