import { contentHash } from "../model/content-hash.ts";
import { textOf } from "../model/part.ts";
import { showsRule, standingText } from "../notes/index.ts";
import { isShown, type MissingRule, missingConstraints } from "./constraints.ts";
import type { Hook, Services } from "./hook.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** Characters of the mark. */
const MARK = 6;

/** What the standing message is to say. */
export interface Standing {
  /** null: nothing. */
  readonly text: string | null;
  /** False when it says that already. */
  readonly changed: boolean;
  /** Ids of the notes shown. */
  readonly notes: readonly string[];
  readonly leftOut: number;
}

/** Tokens that rules, task and notes may take together, uncalibrated. */
export function standingLimit(session: Session, services: Pick<Services, "settings" | "calibration">): number {
  return Math.floor((services.settings.notes.share * session.maxTokens) / services.calibration);
}

/** Blocks of the standing message: no edit may touch them. */
export function standingBlocks(session: Session): string[] {
  return standingOf(session)?.blocks.map(({ id }) => id) ?? [];
}

/** Tokens of the standing message, uncalibrated. */
export function standingTokens(session: Session): number {
  return tokensOf(standingOf(session));
}

/** Works out what the standing message is to say, with the rules that nothing else shows. */
export function standingMessage(
  { session, services }: Pick<Hook, "session" | "services">,
  missing: readonly string[],
): Standing {
  const { goal, ...task } = session.taskState;
  const seed = taskMessage(session)?.digest ?? "";
  const written = standingText({
    constraints: missing,
    goal: goal === null || goal.trim() === "" || isShown(session, goal) ? null : goal,
    task,
    notes: session.notes.notes,
    limitTokens: standingLimit(session, services),
    count: (text) => services.countText(text),
    mark: (body) => markBeside(body, seed),
  });
  const text = written?.text ?? null;
  return {
    text,
    changed: text !== standsNow(session),
    notes: written?.shownNotes ?? [],
    leftOut: written?.leftOut ?? 0,
  };
}

/**
 * Writes the standing message anew, right behind the task, where it would say something else than it says; answers
 * whether it did. To be called within a pass, when its edits are done: what goes leaves the list with the pass.
 */
export function rewriteStanding(hook: Hook, passId: string, missing: readonly MissingRule[]): boolean {
  const { session } = hook;
  const standing = standingMessage(
    hook,
    missing.map(({ text }) => text),
  );
  if (!standing.changed) return false;
  const stood = standsNow(session) ?? "";
  for (const { text, source, blockId } of missing) {
    if (showsRule(stood, text)) continue;
    hook.emit("constraint.reinserted", { pass_id: passId, source, block_id: blockId, text });
  }
  const before = standingOf(session);
  const tokensBefore = tokensOf(before);
  const id = standing.text === null ? null : addMessage(hook, standing.text);
  const added = id === null ? 0 : tokensOf(session.messageById.get(id));
  hook.emit("standing.rewritten", {
    pass_id: passId,
    message_id: id,
    removed_message_id: before?.id ?? null,
    notes: standing.notes.length,
    left_out: standing.leftOut,
    constraints: missing.length,
    tokens_before: tokensBefore,
    tokens_after: added,
    tokens_added: added,
  });
  return true;
}

/** Whether the note would be in the standing message if it were written now. */
export function wouldShow(hook: Pick<Hook, "session" | "services">, noteId: string): boolean {
  const missing = missingConstraints(hook.session, [], () => []).map(({ text }) => text);
  return standingMessage(hook, missing).notes.includes(noteId);
}

/** The message that states the task, behind which contextd's own messages stand; else the last of the system's. */
export function taskMessage({ messages }: Session): ManagedMessage | undefined {
  const task = messages.find(({ role, source, gone }) => role === "user" && source === "agent" && !gone);
  return task ?? messages.filter(({ role, gone }) => role === "system" && !gone).at(-1);
}

function addMessage(hook: Hook, text: string): string {
  const { session, services } = hook;
  const { role, envelope, parts } = services.format.compose("user", text);
  const id = `m${session.nextMessage}`;
  hook.emit("message.added", {
    message_id: id,
    role,
    turn: session.turn,
    envelope,
    source: "contextd",
    overhead_tokens: services.messageOverhead(role, envelope),
    digest: "",
    after: taskMessage(session)?.id ?? null,
  });
  const unit = session.nextUnit;
  for (const part of parts) hook.addBlock(id, unit, "note", part, null);
  return id;
}

/** Six hex digits that stand nowhere in the body: no note, title or rule can end the text or begin a section of it. */
function markBeside(body: string, seed: string): string {
  let hash = contentHash(`${seed}\n${body}`);
  while (body.includes(hash.slice(0, MARK))) hash = contentHash(`${seed}\n${hash}`);
  return hash.slice(0, MARK);
}

function standingOf(session: Session): ManagedMessage | undefined {
  return session.messageById.get(session.standing ?? "");
}

function standsNow(session: Session): string | null {
  const message = standingOf(session);
  return message ? message.blocks.map(({ part }) => textOf(part)).join("\n") : null;
}

function tokensOf(message: ManagedMessage | undefined): number {
  return message ? message.blocks.reduce((sum, { tokens }) => sum + tokens, message.overheadTokens) : 0;
}
