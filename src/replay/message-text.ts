import { characters, linesOfPart } from "../lines/index.ts";
import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";

/** The lines that a message shows, part by part. */
export function linesOfMessage(role: Role, parts: readonly Part[]): string[] {
  return parts.flatMap((part) => linesOfPart(role, part).lines);
}

/** Characters of a message's texts: content, and of each call its name and its arguments as written. */
export function charactersOfMessage(parts: readonly Part[]): number {
  let total = 0;
  for (const part of parts) {
    if (part.kind === "tool_call") total += characters(part.name) + characters(part.argumentsText);
    else if (part.kind === "text" || part.kind === "tool_result" || part.kind === "thinking")
      total += characters(part.text);
  }
  return total;
}
