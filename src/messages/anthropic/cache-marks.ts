import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import type { RenderedContext } from "../format.ts";

/** Most blocks of a request, its system prompt and tools included, that may have `cache_control`. */
export const CACHE_CONTROL_LIMIT = 4;

export function isMarked(block: Json | undefined): boolean {
  return isJsonObject(block) && block["cache_control"] !== undefined && block["cache_control"] !== null;
}

/** The marks of a list of blocks, those inside tool results included. */
export function countMarks(blocks: Json | undefined): number {
  if (!Array.isArray(blocks)) return 0;
  let marks = 0;
  for (const block of blocks) {
    if (isMarked(block)) marks += 1;
    if (isJsonObject(block) && block["type"] === "tool_result") marks += countMarks(block["content"]);
  }
  return marks;
}

/**
 * Takes all marks off the oldest messages until at most `limit` are left in the context, those of the system prompt
 * included. Agents move their mark to the newest message each turn; a list that remembers every message as it was
 * sent would collect more marks than the provider takes. Messages that lose no mark are not copied.
 */
export function trimCacheMarks(context: RenderedContext, limit: number = CACHE_CONTROL_LIMIT): RenderedContext {
  let left = limit - countMarks(context.system);
  let trimmed: JsonObject[] | null = null;
  for (let index = context.messages.length - 1; index >= 0; index--) {
    const message = context.messages[index] as JsonObject;
    const marks = countMarks(message["content"]);
    if (marks === 0) continue;
    left -= marks;
    if (left >= 0) continue;
    trimmed ??= [...context.messages];
    trimmed[index] = { ...message, content: withoutMarks(message["content"] as Json) };
  }
  return trimmed === null ? context : { ...context, messages: trimmed };
}

function withoutMarks(blocks: Json): Json {
  if (!Array.isArray(blocks)) return blocks;
  return blocks.map((block): Json => {
    if (!isJsonObject(block)) return block;
    const bare: JsonObject = { ...block };
    delete bare["cache_control"];
    if (bare["type"] === "tool_result" && Array.isArray(bare["content"]))
      bare["content"] = withoutMarks(bare["content"]);
    return bare;
  });
}
