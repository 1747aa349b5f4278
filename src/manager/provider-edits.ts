import { protect, protectionAt } from "../eviction/index.ts";
import { providerSummary, reportedEdits } from "../messages/index.ts";
import type { Block } from "../model/block.ts";
import type { Json } from "../model/json.ts";
import type { Part } from "../model/part.ts";
import type { Hook } from "./hook.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** Whether the provider, having written this part, reads nothing that stands before it. */
function hidesEarlier(part: Part): boolean {
  return providerSummary(part)?.hidesEarlier ?? false;
}

/** The newest summary of the provider's that is in the context: it is all that the model knows of what it stands for. */
export function newestProviderSummary({ messages }: Session): Block | null {
  for (let index = messages.length - 1; index >= 0; index--) {
    const found = messages[index]?.blocks.findLast(({ part }) => providerSummary(part) !== null);
    if (found) return found;
  }
  return null;
}

/** The message that holds a summary of the provider's behind which nothing before it is read; null: there is none. */
export function newestHidingSummary({ messages }: Session): string | null {
  return messages.findLast(({ gone, blocks }) => !gone && blocks.some(({ part }) => hidesEarlier(part)))?.id ?? null;
}

/**
 * Lets go of what stands before a summary of the provider's that has just come in and that hides it: it is no longer
 * sent to the model, so that keeping it would count tokens that nobody pays for, and compact them a second time. What
 * the agent said must stay (task, pins, the user's last words) stays. Answers the raw tokens let go.
 */
export function followCompaction(hook: Hook, arrived: readonly { readonly parts: readonly Part[] }[]): number {
  if (!arrived.some(({ parts }) => parts.some(hidesEarlier))) return 0;
  const { session } = hook;
  const at = session.messages.findLastIndex(({ blocks }) => blocks.some(({ part }) => hidesEarlier(part)));
  const gone = hiddenMessages(hook, session.messages.slice(0, Math.max(0, at)));
  const before = session.rawTokens;
  let toolUses = 0;
  for (const { id, blocks } of gone) {
    toolUses += blocks.filter(({ part }) => part.kind === "tool_result").length;
    hook.emit("message.removed", { message_id: id, cause: "provider" });
  }
  const tokens = before - session.rawTokens;
  hook.emit("provider.edited", {
    kind: "compaction",
    cleared_tool_uses: toolUses,
    cleared_thinking_turns: 0,
    cleared_input_tokens: tokens,
    turn: session.turn,
  });
  return tokens;
}

/** Of these messages those that may go: whole units, of which the strictest pass would keep nothing. */
function hiddenMessages(hook: Hook, messages: readonly ManagedMessage[]): readonly ManagedMessage[] {
  const { session, services } = hook;
  const { protected_types } = services.settings.eviction;
  const protection = protect(
    [...session.units.values()],
    protectionAt("emergency", {
      keepRecentUnits: 1,
      keepRecentTokens: 0,
      keepUserTokens: 0,
      protectedTypes: protected_types,
    }),
  );
  const mayGo = new Set(
    messages.filter(
      ({ role, source, blocks }) =>
        role !== "system" &&
        source === "agent" &&
        blocks.every(({ unitId }) => {
          const unit = session.units.get(unitId);
          return unit !== undefined && !protection.keepsUnit(unit);
        }),
    ),
  );
  const ids = new Set([...mayGo].map(({ id }) => id));
  // A message that stays keeps the units it is a part of.
  const isTorn = ({ blocks }: ManagedMessage) =>
    blocks.some(({ unitId }) => session.units.get(unitId)?.blocks.some(({ messageId }) => !ids.has(messageId)));
  for (let torn = [...mayGo].filter(isTorn); torn.length > 0; torn = [...mayGo].filter(isTorn)) {
    for (const message of torn) {
      mayGo.delete(message);
      ids.delete(message.id);
    }
  }
  return [...mayGo];
}

/** Tells what the provider reports to have cleared out of the prompt of the call; answers the tokens. */
export function tellReportedEdits(hook: Hook, contextManagement: Json | undefined): number {
  let tokens = 0;
  for (const edit of reportedEdits(contextManagement)) {
    tokens += edit.clearedInputTokens;
    hook.emit("provider.edited", {
      kind: edit.kind,
      cleared_tool_uses: edit.clearedToolUses,
      cleared_thinking_turns: edit.clearedThinkingTurns,
      cleared_input_tokens: edit.clearedInputTokens,
      turn: hook.session.turn,
    });
  }
  return tokens;
}
