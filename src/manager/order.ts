import { messageFormats } from "../messages/index.ts";
import { ContextdError } from "../model/errors.ts";
import type { Role } from "../model/message.ts";
import type { Unit } from "../model/unit.ts";
import type { Arrival } from "./ingest.ts";
import { pendingUnit, type Session } from "./session.ts";

/**
 * Refuses messages that no provider would accept behind the context, before anything is changed: a result
 * without its call, a call that another message leaves unanswered, a call id used twice. `roles`: the only ones
 * that may come here; `removed`: messages that leave the context first. Answers the calls still without a result.
 */
export function checkOrder(
  session: Session,
  arrivals: readonly Arrival[],
  roles: readonly Role[] | null = null,
  removed: ReadonlySet<string> = new Set(),
): ReadonlySet<string> {
  const waiting = pendingUnit(session);
  const isGone = (unit: Unit | null | undefined) => unit?.blocks.some((block) => removed.has(block.messageId)) ?? true;
  const used = new Set<string>();
  const isUsed = (id: string) => used.has(id) || !isGone(session.units.get(session.unitOfCall.get(id) ?? -1));
  const uniqueInAll = messageFormats[session.format].callIdsUnique;
  let pending = new Set(isGone(waiting) ? [] : waiting?.pendingCalls);
  for (const { split, path } of arrivals) {
    if (roles && !roles.includes(split.role)) {
      throw new ContextdError("invalid_params", `${path}.role must be ${roles.join(" or ")} here.`, {
        path: `${path}.role`,
      });
    }
    const calls = split.parts.filter((part) => part.kind === "tool_call");
    const results = split.parts.filter((part) => part.kind === "tool_result");
    checkSide(split.role, calls.length, results.length, path);
    for (const result of results) {
      if (!pending.delete(result.callId)) {
        throw new ContextdError(
          "invalid_history",
          `${path} answers tool call ${result.callId}, which no assistant message is waiting on: send the assistant message with the call first (on_turn_end), and each result once.`,
          { path, tool_call_id: result.callId },
        );
      }
    }
    if (results.length === 0 && pending.size > 0) {
      const missing = [...pending];
      throw new ContextdError(
        "invalid_history",
        `${path} comes before the results of ${missing.length} tool call(s) (${missing.slice(0, 3).join(", ")}): send them with on_tool_result or as messages first.`,
        { path, tool_call_ids: missing.slice(0, 20) },
      );
    }
    // A tool's message holds nothing else; what stands beside its result are fields of the message.
    if (split.role !== "tool" && results.length < split.parts.length && pending.size > 0) {
      throw new ContextdError("invalid_history", `${path} adds text before all tool calls have their results.`, {
        path,
        tool_call_ids: [...pending].slice(0, 20),
      });
    }
    if (split.role !== "assistant") continue;
    pending = new Set();
    for (const { callId } of calls) {
      if (pending.has(callId) || (uniqueInAll && isUsed(callId))) {
        throw new ContextdError(
          "invalid_history",
          `${path} uses tool call id ${callId} a second time: ids must be unique.`,
          { path, tool_call_id: callId },
        );
      }
      pending.add(callId);
      used.add(callId);
    }
  }
  return pending;
}

/** Calls are the assistant's, results are everybody else's: no provider takes them the other way round. */
function checkSide(role: Role, calls: number, results: number, path: string): void {
  if (role === "assistant" ? results === 0 : calls === 0) return;
  const mistake = role === "assistant" ? "is the assistant's and has a tool result" : `has a tool call in role ${role}`;
  throw new ContextdError("invalid_history", `${path} ${mistake}: the assistant calls, the next message answers.`, {
    path,
  });
}

/** Refuses to go on while tool calls have no result. */
export function requireAnswered(pending: ReadonlySet<string>): void {
  if (pending.size === 0) return;
  const ids = [...pending].slice(0, 20);
  throw new ContextdError(
    "invalid_history",
    `${pending.size} tool call(s) have no result yet (${ids.slice(0, 3).join(", ")}): send on_tool_result for each first.`,
    { tool_call_ids: ids },
  );
}
