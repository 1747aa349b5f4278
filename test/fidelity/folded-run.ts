import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { messageFormats } from "../../src/messages/index.ts";
import type { BlockType, ToolUse } from "../../src/model/block.ts";
import { type Part, textOf } from "../../src/model/part.ts";
import type { Passage } from "../../src/model/passage.ts";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";

/** Shares of the window at which the oldest units go, and down to which. */
const TRIGGER = 0.7;
const TARGET = 0.4;
const CHARACTERS_A_TOKEN = 4;

/** What one fold takes out of a run. */
export interface RunFold {
  readonly dropped: readonly Passage[];
}

export interface FoldedRun {
  readonly id: string;
  readonly goal: string;
  readonly folds: readonly RunFold[];
}

/** Tokens as the folds here count them. */
export function roughTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_A_TOKEN);
}

/**
 * A recorded run in a window of that many tokens: whenever it is filled, the oldest units go, all but the system prompt
 * and the first user message. Units go whole; the last message of a run brings no fold.
 */
export function foldedRun(file: string, windowTokens: number): FoldedRun {
  const run = parseRun(readFileSync(file, "utf8"), basename(file));
  const { messages } = conversationIn(run, "openai");
  const calls = new Map<string, ToolUse>();
  const folds: RunFold[] = [];
  let units: Passage[][] = [];
  let goal: string | null = null;
  let block = 0;
  for (const [turn, wire] of messages.entries()) {
    const { role, parts } = messageFormats.openai.split(wire, `messages[${turn}]`);
    const passages: Passage[] = [];
    for (const part of parts) {
      const type = typeOf(role, part);
      const tool = toolOf(part, calls);
      const isError = part.kind === "tool_result" && part.isError;
      passages.push({ blockId: `b${++block}`, unitId: units.length, turn, type, tool, isError, text: textOf(part) });
    }
    if (role === "system") continue;
    if (role === "user" && goal === null) goal = passages.map(({ text }) => text).join("\n");
    else if (role === "tool") units.at(-1)?.push(...passages);
    else units.push(passages);
    const weighs = (unit: readonly Passage[]) => unit.reduce((sum, { text }) => sum + roughTokens(text), 0);
    let tokens = units.reduce((sum, unit) => sum + weighs(unit), 0);
    if (role !== "assistant" || tokens < TRIGGER * windowTokens) continue;
    const dropped: Passage[] = [];
    while (units.length > 3 && tokens > TARGET * windowTokens) {
      const [oldest = [], ...rest] = units;
      tokens -= weighs(oldest);
      dropped.push(...oldest);
      units = rest;
    }
    if (dropped.length > 0) folds.push({ dropped });
  }
  return { id: run.id, goal: goal ?? "", folds };
}

function typeOf(role: string, part: Part): BlockType {
  if (part.kind === "tool_result") return "tool_result";
  if (part.kind === "thinking") return "thinking";
  return role === "user" ? "user_message" : "assistant_response";
}

function toolOf(part: Part, calls: Map<string, ToolUse>): ToolUse | null {
  if (part.kind === "tool_call") {
    const tool = { callId: part.callId, name: part.name, argumentsText: part.argumentsText };
    calls.set(part.callId, tool);
    return tool;
  }
  return part.kind === "tool_result" ? (calls.get(part.callId) ?? null) : null;
}
