import { textOf } from "../../model/part.ts";
import type { Passage } from "../../model/passage.ts";
import { RULES_KEPT, type Session } from "../session.ts";

/** Finds the rules that a user gave in a text, verbatim. */
export type RuleFinder = (text: string) => readonly string[];

/** A rule that holds and that no message of the agent or its user shows. */
export interface MissingRule {
  readonly text: string;
  /** Stated with the task, or said by the user. */
  readonly source: "task" | "user";
  /** Block of the user's message that held it; null for the task's. */
  readonly blockId: string | null;
}

/**
 * The rules that the standing message has to show: constraints and success criteria of the task, rules of the user
 * known from earlier passes, and those that `find` sees in the user's messages among the passages that have just left.
 * A rule is missing unless a live message of the user or the system holds it word for word; what tools answer does not
 * count. To be called when the edits of a pass are done; costs the rules times the text of these messages.
 */
export function missingConstraints(
  session: Session,
  gone: readonly Passage[],
  find: RuleFinder,
): readonly MissingRule[] {
  const { success_criteria, constraints } = session.taskState;
  const left = gone
    .filter(({ type }) => type === "user_message")
    .flatMap(({ blockId, text }) => find(text).map((rule) => ({ text: rule, blockId })));
  const said = new Map([...session.rules, ...left].map((rule) => [rule.text, rule]));
  const known: MissingRule[] = [
    ...[...constraints, ...success_criteria].map((text) => ({ text, source: "task" as const, blockId: null })),
    ...[...said.values()].slice(-RULES_KEPT).map((rule) => ({ ...rule, source: "user" as const })),
  ];
  const rules = new Map<string, MissingRule>();
  for (const rule of known) if (rule.text.trim() !== "" && !rules.has(rule.text)) rules.set(rule.text, rule);
  if (rules.size === 0) return [];
  const shown = shownTexts(session);
  return [...rules.values()].filter(({ text }) => !shown.some((each) => each.includes(text)));
}

/** True when a message of the agent's user or its system prompt holds the text word for word. */
export function isShown(session: Session, text: string): boolean {
  return shownTexts(session).some((each) => each.includes(text));
}

/** What the user and the system say in the context as it stands. */
function shownTexts({ messages }: Session): string[] {
  return messages
    .filter(({ source, gone }) => source === "agent" && !gone)
    .flatMap(({ blocks }) => blocks)
    .filter(({ type }) => type === "user_message" || type === "system_prompt")
    .map(({ part }) => textOf(part));
}
