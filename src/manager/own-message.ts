import type { BlockType } from "../model/block.ts";
import { contentHash } from "../model/content-hash.ts";
import type { Hook } from "./hook.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** Characters of the mark that ends a text of contextd's own. */
const MARK = 6;

/** A mark of the right length that ends nothing: to measure a frame with. */
export const BLANK_MARK = "0".repeat(MARK);

/**
 * The mark that ends a text of contextd's own behind the task: who wrote one of its lines knows neither the others nor
 * the task, and so cannot end it early.
 */
export function markOf(session: Session, lines: readonly string[]): string {
  return contentHash(`${headOf(session)?.digest}\n${lines.join("\n")}`).slice(0, MARK);
}

/** The message that contextd's own stand behind: the task, or the system prompt where there is none. */
export function headOf(session: Session): ManagedMessage | undefined {
  const task = session.messages.find(({ role, source, gone }) => role === "user" && source === "agent" && !gone);
  return task ?? session.messages.filter(({ role, gone }) => role === "system" && !gone).at(-1);
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
