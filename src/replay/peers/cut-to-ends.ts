import { characters, linesOfPart } from "../../lines/index.ts";
import { type MessageFormat, messageFormats, type SplitMessage } from "../../messages/index.ts";
import type { MessageFormatName } from "../../model/message.ts";
import type { Part } from "../../model/part.ts";

/** Stands for the lines that were taken out. */
const GAP = "[…]";

/**
 * The message with its longest text cut to whole lines of both ends, half of `most` characters each; null when it has
 * no text that is longer. Calls stay as they are. `at` is the part that was cut.
 */
export function cutToEnds(
  message: SplitMessage,
  most: number,
  format: MessageFormatName,
): { readonly message: SplitMessage; readonly at: number; readonly part: Part } | null {
  const at = longestText(message.parts);
  const part = message.parts[at];
  if (part === undefined || characters(textOf(part)) <= most) return null;
  const cut = withEnds(message, part, Math.floor(most / 2), messageFormats[format]);
  return { message: { ...message, parts: message.parts.with(at, cut) }, at, part: cut };
}

function withEnds({ role }: SplitMessage, part: Part, side: number, format: MessageFormat): Part {
  const { lines } = linesOfPart(role, part);
  const head = taken(lines, side);
  const tail = taken(lines.slice(head).reverse(), side);
  return format.withText(part, [...lines.slice(0, head), GAP, ...lines.slice(lines.length - tail)].join("\n"));
}

/** Lines from the beginning that fit. */
function taken(lines: readonly string[], most: number): number {
  let used = 0;
  const end = lines.findIndex((line) => {
    used += characters(line) + 1;
    return used > most;
  });
  return end < 0 ? lines.length : end;
}

function longestText(parts: readonly Part[]): number {
  const lengths = parts.map((part) => textOf(part).length);
  const most = Math.max(0, ...lengths);
  return most === 0 ? -1 : lengths.indexOf(most);
}

function textOf(part: Part): string {
  return part.kind === "text" || part.kind === "tool_result" ? part.text : "";
}
