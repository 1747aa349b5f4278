import type { CoreEvent } from "../model/events.ts";
import { forgetDepartures, LONGEST_ARGUMENTS, noteDeparture, noteRegret, noteReturn } from "../regret/index.ts";
import { blockOf } from "./live-context.ts";
import type { Session } from "./session.ts";

/** The policy of truncations and summaries by a pass, whose events name none: as the metrics call it. */
const CASCADE = "cascade";

/** What an event means for regret. To be called before the event is applied: it reads what the edit is about to take. */
export function foldRegret(session: Session, event: CoreEvent): void {
  switch (event.type) {
    case "turn.started":
      forgetDepartures(session.regret, event.data.turn);
      break;
    case "block.evicted":
    case "block.merged":
      depart(session, event.data.block_id, event.data.policy, event.data.pass_id);
      break;
    case "block.truncated":
    case "block.summarized":
      // What is shortened as it comes in has not been in the context.
      if (event.data.pass_id !== null) depart(session, event.data.block_id, CASCADE, event.data.pass_id);
      break;
    case "block.restored":
      noteReturn(session.regret, event.data.block_id);
      break;
    case "regret.detected": {
      const { block_id: id, block_type: type, tool_name: toolName, kind, turn, evicted_turn } = event.data;
      noteRegret(session.regret, { id, type, toolName }, { kind, turn, evictedTurn: evicted_turn });
      break;
    }
    default:
  }
}

function depart(session: Session, blockId: string, policy: string, passId: string): void {
  const { id, type, tool, part, partHash } = blockOf(session, blockId);
  const known = part.kind === "tool_result" && !part.isError && tool !== null && tool.argumentsText !== "";
  const call =
    known && tool.argumentsText.length <= LONGEST_ARGUMENTS
      ? { id: tool.callId, argumentsText: tool.argumentsText }
      : null;
  const departure = { blockId: id, type, toolName: tool?.name ?? null, hash: partHash, turn: session.turn };
  const first = (session.edits.get(id)?.passId ?? null) === null;
  noteDeparture(session.regret, { ...departure, policy, passId, call }, first);
}
