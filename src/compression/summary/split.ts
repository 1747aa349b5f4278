import type { Passage } from "../../model/passage.ts";
import { truncateHeadTail } from "../head-tail.ts";
import type { Count } from "../within-tokens.ts";
import { renderPassage, type SummaryPromptInput, summaryPrompt } from "./prompt.ts";
import { emptySections } from "./sections.ts";

export interface SplitInput extends SummaryPromptInput {
  /** Tokens of one prompt (system and user) at most: the summariser's window less its output. */
  readonly maxInputTokens: number;
  readonly count: Count;
}

/** A passage that has fewer tokens left than this is not begun in a part. */
const LEAST_PASSAGE = 64;
/** Tokens of a prompt that its two messages cost beside their text. */
const BESIDE = 16;

/**
 * Splits passages into parts whose prompts fit a summariser's window, in order. Each part is to be summarised on the
 * summary of the part before, which has `maxOutputTokens` at most: the anchored chain. A passage too large for a
 * part of its own is cut to head and tail. A unit is not split where a part has room for it.
 *
 * Answers null when the window has no room for the prompt's own words and a passage.
 */
export function splitForSummary(input: SplitInput): Passage[][] | null {
  const { passages, nonce, maxInputTokens, maxOutputTokens, count } = input;
  const tokensOf = (prompt: { system: string; user: string }): number =>
    count(prompt.system) + count(prompt.user) + BESIDE;
  const empty = { ...input, passages: [] };
  // The second part stands on a summary of up to `maxOutputTokens`, the first on the one that there is.
  const folded = { ...empty, previous: { ...emptySections(), done: ["x"] } };
  const beside = Math.max(tokensOf(summaryPrompt(empty)), tokensOf(summaryPrompt(folded)) + maxOutputTokens);
  const room = maxInputTokens - beside;
  if (room < LEAST_PASSAGE) return null;
  const parts: Passage[][] = [];
  let part: Passage[] = [];
  let left = room;
  for (const unit of unitsOf(passages)) {
    const fitted = unit.map((passage) => fitInto(passage, room, nonce, count));
    const total = fitted.reduce((sum, each) => sum + each.tokens, 0);
    if (total > left && total <= room && part.length > 0) {
      parts.push(part);
      part = [];
      left = room;
    }
    for (const { passage, tokens } of fitted) {
      if (tokens > left && part.length > 0) {
        parts.push(part);
        part = [];
        left = room;
      }
      part.push(passage);
      left -= tokens;
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

function unitsOf(passages: readonly Passage[]): Passage[][] {
  const units: Passage[][] = [];
  for (const passage of passages) {
    const last = units.at(-1);
    if (last?.[0]?.unitId === passage.unitId) last.push(passage);
    else units.push([passage]);
  }
  return units;
}

interface Fitted {
  readonly passage: Passage;
  readonly tokens: number;
}

/** The passage, cut to head and tail where its own text is more than the room. */
function fitInto(passage: Passage, room: number, nonce: string, count: Count): Fitted {
  const tokensOf = (each: Passage): number => count(`${renderPassage(each, nonce)}\n`);
  const tokens = tokensOf(passage);
  if (tokens <= room) return { passage, tokens };
  // Sanitising may lengthen a text, so the cut is measured on what is rendered.
  for (let limit = room - LEAST_PASSAGE / 4; limit > 0; limit = Math.floor(limit * 0.8)) {
    const cut = cutTo(passage, limit, count);
    const cutTokens = tokensOf(cut);
    if (cutTokens <= room) return { passage: cut, tokens: cutTokens };
  }
  const gone = cutTo(passage, 0, count);
  return { passage: gone, tokens: tokensOf(gone) };
}

function cutTo(passage: Passage, limitTokens: number, count: Count): Passage {
  const { tool, type, text } = passage;
  if (tool !== null && type === "assistant_response") {
    const argumentsText = truncateHeadTail(tool.argumentsText, { limitTokens, count, handle: null }).text;
    return { ...passage, tool: { ...tool, argumentsText } };
  }
  return { ...passage, text: truncateHeadTail(text, { limitTokens, count, handle: null }).text };
}
