import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { characters } from "./characters.ts";
import { linesOfArguments, linesOfText } from "./lines.ts";

/**
 * The lines that a message shows: those of its texts and results (a JSON document of a tool or the user has one for
 * each leaf), and of each call its name and its decoded arguments.
 */
export function linesOfMessage(role: Role, parts: readonly Part[]): string[] {
  return parts.flatMap((part) => {
    switch (part.kind) {
      case "text":
        return linesOfText(part.text, role === "user" || role === "tool");
      case "tool_result":
        return linesOfText(part.text, true);
      case "thinking":
        return part.text.split("\n");
      case "tool_call":
        return [part.name, ...linesOfArguments(part.argumentsText)];
      default:
        return [];
    }
  });
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
