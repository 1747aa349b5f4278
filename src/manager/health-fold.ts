import {
  beginTurn,
  type HealthState,
  noteCarried,
  noteEdit,
  noteFold,
  noteGrowth,
  notePass,
  noteReading,
  noteRegretted,
} from "../health/index.ts";
import type { CoreEvent, EventData } from "../model/events.ts";

/**
 * What an event means for the health of a session. `isKnown`: whether a block was told to be regretted before, since it
 * counts once.
 */
export function foldHealth(
  health: HealthState,
  { type, data }: CoreEvent,
  isKnown: (id: string) => boolean,
): HealthState {
  switch (type) {
    case "turn.started":
      return beginTurn(health, data.turn);
    case "pressure.measured":
      return withReading(health, data);
    case "block.evicted":
      return noteEdit(health, { taken: data.tokens_before, left: data.tokens_after, evicted: true });
    case "block.merged":
    case "block.summarized":
    case "block.truncated":
      // What is shortened as it comes in has not been in the context.
      if (data.pass_id === null) return health;
      return noteEdit(health, { taken: data.tokens_before, left: data.tokens_after, evicted: false });
    case "ledger.rebuilt":
    case "summary.rewritten":
      return noteCarried(health, data.tokens_after - data.tokens_before);
    case "history.compacted":
      return notePass(health);
    case "fidelity.evaluated":
      // A fold that a model judges too counts once, as the lexical judge saw it: the figures are of one kind.
      return data.judge === "lexical" ? noteFold(health, data) : health;
    case "regret.detected":
      return isKnown(data.block_id) ? health : noteRegretted(health, data.evicted_turn);
    case "overflow.reported":
      return { ...health, overflow_turn: turnOf(health) };
    case "checkpoint.rejected":
      return { ...health, rejected_turn: turnOf(health) };
    default:
      return health;
  }
}

/** Readings within a turn are of a context that the model has not been sent yet. */
function withReading(health: HealthState, data: EventData["pressure.measured"]): HealthState {
  if (data.moment === "within") return health;
  const { utilization, tokens, max_tokens, zone, growth_tokens, tool_result_bloat = 0 } = data;
  const read = noteReading(health, { utilization, tokens, max_tokens, zone, tool_result_bloat });
  return data.moment === "turn" ? noteGrowth(read, growth_tokens) : read;
}

function turnOf({ turns }: HealthState): number {
  return turns.at(-1)?.turn ?? 0;
}
