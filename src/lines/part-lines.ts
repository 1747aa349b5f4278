import type { Role } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { linesOfArguments, linesOfDocument } from "./lines.ts";

/** The lines that a part of a message shows. */
export interface PartLines {
  readonly lines: readonly string[];
  /** The part is one JSON document: its lines are its leaves. */
  readonly isDocument: boolean;
}

/**
 * Lines of a part's text (a JSON document of a tool or the user has one for each leaf), or of a call its name and its
 * decoded arguments.
 */
export function linesOfPart(role: Role, part: Part): PartLines {
  switch (part.kind) {
    case "text":
      return linesOfText(part.text, role === "user" || role === "tool");
    case "tool_result":
      return linesOfText(part.text, true);
    case "thinking":
      return { lines: part.text.split("\n"), isDocument: false };
    case "tool_call":
      return { lines: [part.name, ...linesOfArguments(part.argumentsText)], isDocument: false };
    default:
      return { lines: [], isDocument: false };
  }
}

function linesOfText(text: string, mayBeDocument: boolean): PartLines {
  const leaves = mayBeDocument ? linesOfDocument(text) : null;
  return leaves ? { lines: leaves, isDocument: true } : { lines: text.split("\n"), isDocument: false };
}
