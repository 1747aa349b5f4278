import type { Block } from "../model/block.ts";
import { textOf } from "../model/part.ts";
import { callLabels } from "./placeholder.ts";

export interface MergeSettings {
  readonly enabled: boolean;
  /** Similarity above which an older block is merged into the newer. */
  readonly threshold: number;
}

export const DEFAULT_MERGE: MergeSettings = { enabled: true, threshold: 0.85 };

/** Characters of a key argument in a merge text. */
const ARGUMENT_CHARACTERS = 60;
/** More differing lines than this are no longer "the same, except". */
const DIFFERING_LINES = 200;

/**
 * Only texts of tools, assistant and memory that stand whole or cut: never thinking, never a user's words, never a
 * call's arguments, and no extract, which does not say what its likeness was taken from.
 */
export function isMergeable(block: Block): boolean {
  if (block.state !== "whole" && block.state !== "truncated") return false;
  if (block.part.kind === "tool_result") return block.part.attachments.length === 0;
  return block.part.kind === "text" && (block.type === "assistant_response" || block.type === "memory_injection");
}

/**
 * The text that stands for the older block: where the same content is, then its whole lines that the newer one does
 * not have, in their order, and how many lines of the newer one it does not have. null when too much differs.
 * Linear in both texts.
 */
export function mergeText(older: Block, newer: Block, canRecall: boolean): string | null {
  const newerLines = countLines(textOf(newer.part));
  const differing: string[] = [];
  for (const line of textOf(older.part).split("\n")) {
    const left = newerLines.get(line) ?? 0;
    if (left > 0) newerLines.set(line, left - 1);
    else if (line.trim() !== "") differing.push(line);
    if (differing.length > DIFFERING_LINES) return null;
  }
  let onlyThere = 0;
  for (const [line, left] of newerLines) if (line.trim() !== "") onlyThere += left;

  const [label = ""] = callLabels(newer, [ARGUMENT_CHARACTERS]);
  const there = `#${newer.id} (turn ${newer.turn}${label})`;
  const added = onlyThere === 0 ? "" : `, where ${onlyThere === 1 ? "1 line is" : `${onlyThere} lines are`} new`;
  const handle = canRecall ? `; original ${older.handle}` : "";
  if (differing.length === 0) return `[same as ${there}${added}${handle}]`;
  return `[same as ${there}${added}, except these lines${handle}]\n${differing.join("\n")}`;
}

function countLines(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  for (const line of text.split("\n")) lines.set(line, (lines.get(line) ?? 0) + 1);
  return lines;
}
