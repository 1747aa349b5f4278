/** What the lab's names mean to people. */

const MINUS = "\u2212";
const LABELS = {
  fifo: "FIFO",
  lru: "LRU",
  plain_fifo: "Plain FIFO",
  plain_lru: "Plain LRU",
  none: "No management",
  plain_none: "No management, plain",
  oracle: "Oracle",
};

/** A policy as people read it; the name that the config takes stays in options and code. */
export function policyLabel(name) {
  if (Object.hasOwn(LABELS, name)) return LABELS[name];
  if (name.startsWith("profile:")) return `Profile ${name.slice("profile:".length)}`;
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Recalls: .655, and 1.00 whole. */
export function recall(value) {
  if (value === null) return "–";
  return value
    .toFixed(3)
    .replace(/^(-?)0\./, "$1.")
    .replace("-", MINUS);
}

function times(value) {
  return value === null ? "–" : `${value.toFixed(2)}×`;
}

function shareText(value) {
  return value === null ? "–" : `${(value * 100).toFixed(1)}%`;
}

function perHundred(value) {
  return value === null ? "–" : value.toFixed(1);
}

/** The figures of the score table: name, what it means, how it is written. */
export const FIGURES = {
  line_recall: { name: "Line recall", means: "share of needed values still on a whole line", text: recall },
  far_recall: { name: "Far recall", means: "values last seen more than half a window ago", text: recall },
  grounded_recall: { name: "Grounded recall", means: "first seen in a tool result or a user message", text: recall },
  value_recall: { name: "Value recall", means: "share that stands anywhere in the text", text: recall },
  relative_cost: { name: "Cost", means: "against no management, cache included", text: times },
  needed_again: { name: "Needed again", means: "missed within 10 turns after it left, of all needed", text: shareText },
  edits_per_100_turns: { name: "Edits", means: "turns that begin with an edit, per 100", text: perHundred },
  mean_utilization: { name: "Window filled", means: "size of a prompt, mean over the turns", text: shareText },
  peak_utilization: { name: "Peak", means: "largest prompt; above 100% it does not fit", text: shareText },
};

/** A difference, always with its sign. */
export function difference(value, text) {
  if (value === null) return "–";
  const size = text(Math.abs(value));
  if (Number.parseFloat(size) === 0) return size;
  return value < 0 ? `${MINUS}${size}` : `+${size}`;
}

export const VERDICTS = { better: "better", worse: "worse", equal: "no difference", unknown: "too few runs" };

export function windowLabel(window) {
  if (window === "own") return "each session's own";
  return window.endsWith("%") ? `${window} of each run` : `${window} tok`;
}

const UNFIT = {
  window_unknown: "whose own window is not known",
  window_too_small: "too short: the window would be below 4,000 tok",
  window_does_not_bind: "fit into the window as they are",
  pinned_too_large: "mostly pinned",
  too_few_needs: "need next to nothing of their history",
};

/** `2 sessions fit into the window as they are`, one text a reason. */
export function skippedWords(skipped) {
  const counts = new Map();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(
    ([reason, n]) => `${n} ${n === 1 ? "session" : "sessions"}: ${UNFIT[reason] ?? reason.replaceAll("_", " ")}`,
  );
}
