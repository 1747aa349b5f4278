import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../model/note.ts";
import type { Note } from "./book.ts";

/** Which notes are shown within a limit. */
export interface NoteChoice {
  /** In the order in which they are shown. */
  readonly shown: readonly Note[];
  /** How many are not. */
  readonly leftOut: number;
}

/** Tokens of a note's label and line break, at most. */
const LABEL_TOKENS = 12;

/** The notes by importance, then category, then the newest first. `notes`: those written last at the end. */
export function inOrder(notes: readonly Note[]): Note[] {
  const rank = ({ importance, category }: Note) =>
    NOTE_IMPORTANCES.indexOf(importance) * NOTE_CATEGORIES.length + NOTE_CATEGORIES.indexOf(category);
  return [...notes].reverse().sort((a, b) => rank(a) - rank(b));
}

/**
 * Chooses in the order of `inOrder` what fits into `limitTokens`, labels included. No note is cut; one that is too
 * long costs no shorter one its place.
 */
export function chooseNotes(notes: readonly Note[], limitTokens: number): NoteChoice {
  const shown: Note[] = [];
  let left = limitTokens;
  for (const note of inOrder(notes)) {
    const cost = note.tokens + LABEL_TOKENS;
    if (cost > left) continue;
    left -= cost;
    shown.push(note);
  }
  return { shown, leftOut: notes.length - shown.length };
}

/** A note as it is shown: its text is in it byte for byte. */
export function noteLine({ id, category, importance, text }: Note): string {
  return `${id} (${category}, ${importance}): ${text}`;
}
