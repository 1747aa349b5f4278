import { inOrder, NOTE_LABEL_TOKENS, type Note } from "../model/note.ts";

/** Which notes are shown within a limit. */
export interface NoteChoice {
  /** In the order in which they are shown. */
  readonly shown: readonly Note[];
  /** How many are not. */
  readonly leftOut: number;
}

/**
 * Chooses in the order of `inOrder` what fits into `limitTokens`, labels included. No note is cut; one that is too
 * long costs no shorter one its place.
 */
export function chooseNotes(notes: readonly Note[], limitTokens: number): NoteChoice {
  const shown: Note[] = [];
  let left = limitTokens;
  for (const note of inOrder(notes)) {
    const cost = note.tokens + NOTE_LABEL_TOKENS;
    if (cost > left) continue;
    left -= cost;
    shown.push(note);
  }
  return { shown, leftOut: notes.length - shown.length };
}
