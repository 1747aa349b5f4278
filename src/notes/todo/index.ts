import { isJsonObject, type Json } from "../../model/json.ts";
import { claudeCode } from "./claude-code.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import type { TodoDialect, TodoItem } from "./dialect.ts";
import { geminiCli } from "./gemini-cli.ts";
import { langchain } from "./langchain.ts";
import { openCode } from "./opencode.ts";
import { openHands } from "./openhands.ts";
import { roo } from "./roo.ts";

/** How agents write their todo lists. A new one is a file here and a line in this list; the first that reads a call wins. */
export const todoDialects: readonly TodoDialect[] = [
  claudeCode,
  codex,
  langchain,
  geminiCli,
  openHands,
  openCode,
  roo,
  cline,
];

/** Longest arguments that are read, in characters: a longer text is no todo list. */
const MOST_ARGUMENTS = 200_000;

/**
 * The todo list that a tool call writes; null when it writes none that is understood. Arguments are parsed only where
 * the tool's name or a parameter's promises a list.
 */
export function recognizeTodos(tool: string, argumentsText: string): readonly TodoItem[] | null {
  if (argumentsText.length > MOST_ARGUMENTS) return null;
  const dialects = todoDialects.filter(({ tools, parameter }) =>
    tools === null ? argumentsText.includes(`"${parameter}"`) : tools.includes(tool),
  );
  if (dialects.length === 0) return null;
  const input = parsed(argumentsText);
  if (!isJsonObject(input)) return null;
  for (const dialect of dialects) {
    const items = dialect.read(input);
    if (items !== null) return items;
  }
  return null;
}

/** Models write arguments that are no JSON: such a call says nothing of the list. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
