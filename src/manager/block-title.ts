import { keyArgument, parseArguments } from "../eviction/index.ts";
import type { ToolUse } from "../model/block.ts";
import { type Part, textOf } from "../model/part.ts";

/** Characters (UTF-16 units) of a title, at most, and of a tool's name within it. */
const MOST_CHARACTERS = 120;
const MOST_NAME = 40;
/** Characters of a text that are looked at for its first words: a large result costs no more than a small one. */
const MOST_READ = 2000;
const ELLIPSIS = "…";

/** What a part is called that has no words of its own. */
const WORDLESS: Partial<Record<Part["kind"], string>> = { image: "image", thinking: "thinking" };

/**
 * A short name of a block for people: of a call or a result its tool with the argument that says most (a path, a
 * command), of anything else the first words of its text. One line of at most 120 characters without controls or
 * invisible marks; empty for an empty text. It quotes the agent's content: it belongs into answers to its owner, never
 * into the public stream, logs or metrics.
 */
export function blockTitle(content: Part | string, tool: ToolUse | null): string {
  if (tool !== null) return toolTitle(tool);
  if (typeof content !== "string" && content.kind === "tool_call") return toolTitle(content);
  const text = typeof content === "string" ? content : textOf(content);
  const words = cutEnd(oneLine(text), MOST_CHARACTERS);
  return words === "" && typeof content !== "string" ? (WORDLESS[content.kind] ?? "") : words;
}

function toolTitle({ name, argumentsText }: Pick<ToolUse, "name" | "argumentsText">): string {
  const shownName = cutEnd(oneLine(name), MOST_NAME);
  const parsed = parseArguments(argumentsText);
  const key = keyArgument(parsed);
  // Arguments that are no JSON object stand for themselves; an object without a plain value says nothing in a line.
  const text = oneLine(key?.text ?? (parsed === null ? argumentsText : ""));
  if (text === "") return shownName;
  const room = MOST_CHARACTERS - shownName.length - 1;
  return `${shownName} ${key?.isFile ? cutStart(text, room) : cutEnd(text, room)}`;
}

/** Blanks, line ends, controls, format marks and halves of characters become one blank. */
function oneLine(text: string): string {
  return text
    .slice(0, MOST_READ)
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();
}

function cutEnd(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, endOfCharacter(text, most - 1)).trimEnd()}${ELLIPSIS}`;
}

/** A path's telling end is its last one. */
function cutStart(text: string, most: number): string {
  if (text.length <= most) return text;
  const from = text.length - most + 1;
  return `${ELLIPSIS}${text.slice(isLowSurrogate(text, from) ? from + 1 : from).trimStart()}`;
}

/** `end`, or one unit before it where that would halve a character. */
function endOfCharacter(text: string, end: number): number {
  return isLowSurrogate(text, end) ? end - 1 : end;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000;
}
