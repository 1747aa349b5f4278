import { plain } from "./kind-words.js";

/** Why a pass was made, as a clause behind the state of the context. */
const CAUSES = {
  green: "An early edit: it pays for itself before the context is full.",
  yellow: "An early edit in yellow: it pays for itself before the context is full.",
  orange: "Orange makes a pass due.",
  red: "Red makes a pass due at once, and deep.",
  forecast: "Red was forecast within the next turns, so the pass came before it.",
  overflow: "The provider had refused the prompt as too long, or cut the answer.",
  budget: "A component was over its budget.",
  requested: "The agent or an operator asked for it.",
  window: "The window was closed and the next one opened: what it held was folded.",
};

export function causeWords(cause) {
  return CAUSES[cause] ?? `Cause: ${plain(cause)}.`;
}

/** What the first step is called, by what set the pass off. */
export function triggerWords({ cause, thresholds, recorded, zone_before }) {
  const from = thresholds[cause];
  if (from !== undefined)
    return `${cause} from ${Math.round(from * 100)}%${recorded ? "" : " by the settings in force now"}`;
  const zone = zone_before === null ? "" : `, ${zone_before}`;
  const NAMES = { forecast: "red was forecast", overflow: "overflow", budget: "over a budget", requested: "asked for" };
  return `${NAMES[cause] ?? (cause === "window" ? "end of a window" : plain(cause))}${zone}`;
}
