import { indexOfWord } from "../lines/index.ts";
import type { Book } from "./book.ts";
import { placeIn } from "./place.ts";
import type { Estimate } from "./vocabulary.ts";

/** A line of a block's original text, and what was expected of it when a ledger was last chosen. */
interface MissedLine {
  /** Its number, from 1; null where it is no line of the text (a leaf of JSON). */
  readonly line: number | null;
  /** null: it never stood to be carried over, as one that is too long, or not since the book was begun. */
  readonly estimate: Estimate | null;
}

/**
 * The first line of what the block came with that holds the word by itself, else within a word; null where none is known
 * to. Costs a look at the block's lines.
 */
export function missedLine(book: Book, blockId: string, word: string): MissedLine | null {
  const { entry, from, end } = book.spanOf(blockId);
  if (entry === null) return null;
  let within = -1;
  let at = from;
  for (; at < end; at++) {
    const text = entry.lines[at]?.text ?? "";
    if (!text.includes(word)) continue;
    if (indexOfWord(text, word) >= 0) break;
    if (within < 0) within = at;
  }
  const found = at < end ? at : within;
  const line = entry.lines[found];
  return line ? { line: placeIn(entry.pieces, found)?.line ?? null, estimate: line.estimate } : null;
}
