import { messageFormats, type SplitMessage } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Part, ToolResultPart } from "../../model/part.ts";
import type { PlainContext } from "./plain-context.ts";

/** A tool result in a context: the message at a place, and the part of it. */
export interface PlainResult {
  readonly place: number;
  readonly part: number;
}

/** What stands for a tool result that was cleared. */
export const CLEARED = "[Old tool result cleared.]";

/** Tool results that a message holds. */
export function resultsAt(context: PlainContext, place: number): (PlainResult & { readonly text: string })[] {
  return splitAt(context, place).parts.flatMap((part, index) =>
    part.kind === "tool_result" ? [{ place, part: index, text: part.text }] : [],
  );
}

/** The message at a place with other texts in the results that `textOf` answers one for; null: none has another. */
export function withResults(
  context: PlainContext,
  place: number,
  textOf: (part: ToolResultPart, index: number) => string | null,
): JsonObject | null {
  const format = messageFormats[context.run.format];
  const split = splitAt(context, place);
  let changed = false;
  const parts = split.parts.map((part, index): Part => {
    const text = part.kind === "tool_result" ? textOf(part, index) : null;
    if (text === null) return part;
    changed = true;
    return format.withText(part, text);
  });
  return changed ? format.join({ ...split, parts }) : null;
}

function splitAt(context: PlainContext, place: number): SplitMessage {
  return messageFormats[context.run.format].split(context.messageAt(place), `messages[${place}]`);
}
