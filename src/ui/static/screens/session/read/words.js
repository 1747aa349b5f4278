import { compact, turns } from "../../../draw/format.js";

/** Names of the daemon's own, in words for people. */

export const COMPONENT_NAMES = {
  system_prompt: "System prompt",
  tool_definitions: "Tool definitions",
  memory_injection: "Memory and notes",
  message_history: "History and ledger",
  tool_results: "Tool results",
  output_reserved: "Kept for output",
};

export const COMPONENT_COLOURS = {
  system_prompt: "--c-system",
  tool_definitions: "--c-tools",
  memory_injection: "--c-memory",
  message_history: "--c-history",
  tool_results: "--c-results",
};

export const TYPES = {
  system_prompt: { name: "System prompt", colour: "--c-system" },
  tool_definition: { name: "Tool definition", colour: "--c-tools" },
  user_message: { name: "User message", colour: "--t-user" },
  assistant_response: { name: "Assistant", colour: "--c-history" },
  thinking: { name: "Thinking", colour: "--t-thinking", hatched: true },
  tool_result: { name: "Tool result", colour: "--c-results" },
  summary: { name: "Summary", colour: "--t-summary" },
  memory_injection: { name: "Memory", colour: "--t-injection" },
  note: { name: "Note", colour: "--t-note" },
  ledger: { name: "Ledger", colour: "--t-ledger" },
};

/** A block's type, and the ledger among summaries; one that a later daemon has is shown as history. */
export function typeOf({ type, protected_by: rule }) {
  if (rule === "protected.ledger") return TYPES.ledger;
  return TYPES[type] ?? { name: plain(type), colour: "--c-history" };
}

const CAUSES = {
  overflow: "the provider refused the prompt",
  forecast: "red is forecast",
  budget: "a component is over its budget",
  requested: "asked for",
  window: "the window is closed",
};

export function causeWord(cause) {
  return CAUSES[cause] ?? `the zone was ${cause}`;
}

const WINDOW_ENDS = {
  cross_window_save: "emergency, cross-window save",
  overflow: "overflow",
  requested: "asked for",
  checkpoint: "a checkpoint was loaded",
  session: "session opened",
};

export function windowEnd(reason) {
  return reason === null ? "" : (WINDOW_ENDS[reason] ?? plain(reason));
}

const SKIPS = {
  below_target: "the context is below the target",
  no_candidates: "nothing may be taken",
  nothing_saved: "nothing would be saved",
  all_protected: "all that is left is protected",
  floor: "nothing can be freed: the floor",
  break_even: "the gate said no",
  no_progress_breaker: "the last passes freed next to nothing",
  awaiting_summary: "a summary is under way",
  window_by_window: "this session goes window by window",
  advice_only: "the daemon advises only",
};

export function skipWord(reason) {
  return SKIPS[reason] ?? plain(reason);
}

/** `tool_result` as `tool result`. */
export function plain(name) {
  return String(name).replaceAll("_", " ");
}

/** What the break-even gate compared: "an edit would break even in 24 turns; 21 expected". */
export function gateWords(gate) {
  if (gate === null || gate === undefined) return null;
  const saved = gate.tokens_freed * gate.read_price;
  const expected = turns(gate.expected_remaining_turns);
  if (saved <= 0) return `an edit would save nothing; ${expected} turns expected`;
  return `an edit would break even in ${turns(gate.cost / saved)} turns; ${expected} expected`;
}

export function tokens(n) {
  return `${compact(n)} tok`;
}

export function span(from, to) {
  return from === to ? `turn ${from}` : `turns ${from}–${to}`;
}

export function seconds(n) {
  return `${n.toFixed(1)}\u202fs`;
}

/** The data of the event of a type among the entries of a decision; null: there is none. */
export function dataOf(entries, type) {
  return entries.find((entry) => entry.type === type)?.data ?? null;
}
