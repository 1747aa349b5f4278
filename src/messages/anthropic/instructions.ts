import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { RenderedContext } from "../format.ts";

/** Blocks that a client makes or answers; any other block at the end of an assistant message is a server tool's. */
const CLIENT_BLOCKS: ReadonlySet<string> = new Set([
  "text",
  "image",
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
]);

/**
 * Whether the system message at `index` stands where Anthropic takes one: after a user message or a server tool's
 * use, and last or before an assistant message.
 */
export function isWellPlaced(messages: readonly JsonObject[], index: number): boolean {
  const before = messages[index - 1];
  const after = messages[index + 1];
  if (before === undefined || (after !== undefined && after["role"] !== "assistant")) return false;
  return before["role"] === "user" || (before["role"] === "assistant" && endsWithServerBlock(before));
}

function endsWithServerBlock(message: JsonObject): boolean {
  const last = Array.isArray(message["content"]) ? message["content"].at(-1) : undefined;
  return isJsonObject(last) && typeof last["type"] === "string" && !CLIENT_BLOCKS.has(last["type"]);
}

/**
 * Makes user messages of the instructions whose neighbours are gone, so that they no longer stand where a system
 * message may. Anthropic merges consecutive user messages, so this is always in order.
 */
export function placeInstructions(context: RenderedContext): RenderedContext {
  let placed: JsonObject[] | null = null;
  for (const [index, message] of context.messages.entries()) {
    if (message["role"] !== "system" || isWellPlaced(placed ?? context.messages, index)) continue;
    placed ??= [...context.messages];
    placed[index] = { ...message, role: "user" };
  }
  return placed === null ? context : { ...context, messages: placed };
}
