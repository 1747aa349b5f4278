import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { linesOfArguments, linesOfText } from "./lines.ts";

/**
 * The lines that a part of a message shows: those of its text (a JSON document of a tool or the user has one for each
 * leaf), or of a call its name and its decoded arguments.
 */
export function linesOfPart(role: Role, part: Part): string[] {
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
}
