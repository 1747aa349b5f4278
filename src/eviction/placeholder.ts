import type { Block } from "../model/block.ts";
import { textOf } from "../model/part.ts";
import { keyArgument, parseArguments } from "./tool-arguments.ts";

/** Most tokens of a placeholder. Measured: more spent on single placeholders buys almost nothing. */
export const PLACEHOLDER_TOKENS = 30;

export interface PlaceholderOptions {
  /** The handle is written only for an agent that can use it. */
  readonly canRecall: boolean;
  /** Counts the tokens of a text. */
  readonly count: (text: string) => number;
}

/** Characters of a key argument, longest first, until the placeholder fits. */
const ARGUMENT_CHARACTERS = [48, 32, 20, 12];
/** Characters of a finding: more never fits. */
const FINDING_CHARACTERS = 60;
/** Characters at the end of a result that are searched for a finding: tools conclude there. */
const SEARCHED_CHARACTERS = 2_048;
/** Tokens of the shortest finding worth a search. */
const FINDING_TOKENS = 5;
const FINDING = /\b(?:error|exception|failed|failure|passed|not found|no such|denied|exit (?:code|status)|returned)\b/i;

/** Blanks, line ends, controls and invisible format marks become one blank: quoted data stays on its line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ").trim();
}

function shorten(text: string, characters: number, keepTail: boolean): string {
  const all = [...text];
  if (all.length <= characters) return text;
  return keepTail ? `…${all.slice(1 - characters).join("")}` : `${all.slice(0, characters - 1).join("")}…`;
}

/** Text of the agent's or a tool's own, marked as such by its quotes. */
function quoted(text: string, characters: number, keepTail = false): string {
  // Cut before cleaning too: an argument may be a megabyte.
  const near = keepTail ? text.slice(-4 * characters) : text.slice(0, 4 * characters);
  return JSON.stringify(shorten(oneLine(near), characters, keepTail));
}

/** The name of a tool as it may stand in a text: quoted unless it is a plain word. */
function toolLabel(name: string): string {
  return /^[\w.:-]{1,48}$/.test(name) ? name : quoted(name, 32);
}

/** ` tool "key argument"` of the block's call, as far as known, with a blank before each; for use within a line. */
export function callLabels(block: Block, characters: readonly number[]): string[] {
  if (block.tool === null) return [""];
  const tool = block.tool.name === "" ? "" : ` ${toolLabel(block.tool.name)}`;
  const argument = keyArgument(parseArguments(block.tool.argumentsText));
  if (argument === null) return [tool];
  return [...new Set(characters.map((most) => `${tool} ${quoted(argument.text, most, argument.isFile)}`))];
}

function findingOf(block: Block): string | null {
  if (block.part.kind !== "tool_result") return null;
  const line = textOf(block.part)
    .slice(-SEARCHED_CHARACTERS)
    .split("\n")
    .findLast((candidate) => FINDING.test(candidate));
  return line === undefined ? null : quoted(line, FINDING_CHARACTERS);
}

/**
 * What stands in the place of a cleared tool result or of cleared call arguments: one line of at most
 * PLACEHOLDER_TOKENS tokens with the kind, turn, tool, key argument, a finding, the tokens and the handle, as far as
 * they fit. The least important is left out first; the handle last.
 */
export function placeholder(block: Block, options: PlaceholderOptions): string {
  const head = `cleared ${block.part.kind === "tool_call" ? "arguments" : "result"} turn ${block.turn}`;
  const tokens = ` ${block.originalTokens} tokens`;
  const handle = options.canRecall ? ` ${block.handle}` : "";
  const room = (text: string) => PLACEHOLDER_TOKENS - options.count(text);
  const fits = (text: string) => room(text) >= 0;

  const [label = "", ...shorterLabels] = callLabels(block, ARGUMENT_CHARACTERS);
  const whole = `[${head}${label}${tokens}${handle}]`;
  const left = room(whole);
  if (left >= 0) {
    const finding = left >= FINDING_TOKENS ? findingOf(block) : null;
    const telling = `${whole.slice(0, -1)} found ${finding}]`;
    return finding !== null && fits(telling) ? telling : whole;
  }
  const tool = block.tool === null || block.tool.name === "" ? "" : ` ${toolLabel(block.tool.name)}`;
  const barer = [
    ...shorterLabels.map((shorter) => `[${head}${shorter}${tokens}${handle}]`),
    `[${head}${tool}${tokens}${handle}]`,
    `[${head}${tokens}${handle}]`,
    `[${head}${handle}]`,
  ];
  return barer.find(fits) ?? `[cleared${handle}]`;
}
