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
import type { Session } from "./session.ts";

/**
 * What an event means for the health of a session. To be called before the event is applied, and before it is folded into
 * the regret: a block counts as regretted once.
 */
export function foldHealth(session: Session, event: CoreEvent): void {
  session.health = folded(session, event);
}

function folded(session: Session, { type, data }: CoreEvent): HealthState {
  const { health } = session;
  switch (type) {
    case "turn.started":
      return beginTurn(health, data.turn);
    case "pressure.measured":
      return withReading(session, data);
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
      return notePass(health, session.turn);
    case "fidelity.evaluated":
      // A fold that a model judges too counts once, as the lexical judge saw it: the figures are of one kind.
      return data.judge === "lexical" ? noteFold(health, data) : health;
    case "regret.detected":
      return session.regret.regrets.has(data.block_id) ? health : noteRegretted(health, data.evicted_turn);
    case "overflow.reported":
      return { ...health, overflow_turn: session.turn };
    case "checkpoint.rejected":
      return { ...health, rejected_turn: session.turn };
    default:
      return health;
  }
}

/** Readings within a turn are of a context that the model has not been sent yet. */
function withReading(
  { health, componentTokens, rawTokens }: Session,
  data: EventData["pressure.measured"],
): HealthState {
  if (data.moment === "within") return health;
  const { utilization, tokens, max_tokens, zone, growth_tokens } = data;
  const tool_result_bloat = rawTokens > 0 ? componentTokens.tool_results / rawTokens : 0;
  const read = noteReading(health, { utilization, tokens, max_tokens, zone, tool_result_bloat });
  return data.moment === "turn" ? noteGrowth(read, growth_tokens) : read;
}
