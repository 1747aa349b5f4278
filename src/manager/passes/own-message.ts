import type { BlockType } from "../../model/block.ts";
import { contentHash } from "../../model/content-hash.ts";
import type { Hook } from "../hook.ts";
import { newestHidingSummary } from "../provider-edits.ts";
import type { ManagedMessage, Session } from "../session.ts";

/** Characters of the mark that ends a text of contextd's own. */
const MARK = 6;

/** A mark of the right length that ends nothing: to measure a frame with. */
export const BLANK_MARK = "0".repeat(MARK);

/**
 * The mark that ends a text of contextd's own: it stands nowhere in the body, and who wrote one of its lines knows
 * neither the others nor the task, so that nothing in it can end the text early.
 */
export function markOf(session: Session, body: string): string {
  const seed = taskMessage(session)?.digest ?? "";
  let hash = contentHash(`${seed}\n${body}`);
  while (body.includes(hash.slice(0, MARK))) hash = contentHash(`${seed}\n${hash}`);
  return hash.slice(0, MARK);
}

/**
 * The message that contextd's own stand behind: the task, the system prompt where there is none, or a summary of the
 * provider's that hides all before it. null: they stand first.
 */
export function headOf(session: Session): string | null {
  return newestHidingSummary(session) ?? taskMessage(session)?.id ?? null;
}

/** Whether that message stands behind the head, where the model reads it; true of none, and where nothing is the head. */
export function isBehind({ messages }: Session, head: string | null, message: ManagedMessage | undefined): boolean {
  if (head === null || message === undefined) return true;
  return messages.indexOf(message) > messages.findIndex(({ id }) => id === head);
}

/** The message that states the task; the last of the system's where there is none. */
export function taskMessage({ messages }: Session): ManagedMessage | undefined {
  const task = messages.find(({ role, source, gone }) => role === "user" && source === "agent" && !gone);
  return task ?? messages.filter(({ role, gone }) => role === "system" && !gone).at(-1);
}

/** Adds a user message of contextd's own behind that message (null: first), of blocks of that type. Answers its id. */
export function addOwnMessage(hook: Hook, text: string, type: BlockType, after: string | null): string {
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
    after,
  });
  const unit = session.nextUnit;
  for (const part of parts) hook.addBlock(id, unit, type, part, null);
  return id;
}

/** Tokens of such a message, uncalibrated, without adding it. */
export function tokensOfText({ services }: Hook, text: string): number {
  const { role, envelope, parts } = services.format.compose("user", text);
  return parts.reduce((sum, part) => sum + services.countPart(part).tokens, services.messageOverhead(role, envelope));
}

/** Tokens of a message, uncalibrated; 0 of none. */
export function tokensOfMessage(message: ManagedMessage | undefined): number {
  return message ? message.blocks.reduce((sum, block) => sum + block.tokens, message.overheadTokens) : 0;
}
