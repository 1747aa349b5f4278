import type { Note } from "../model/note.ts";

/** A session's notes, those written last at the end. */
export interface NoteBook {
  /** Number of the next new note. An id is never given twice. */
  readonly next: number;
  readonly notes: readonly Note[];
}

export const EMPTY_BOOK: NoteBook = { next: 1, notes: [] };

/** Most notes of a session: beyond that nobody reads them, and a snapshot carries them all. */
export const MOST_NOTES = 1_000;
/** Most characters of one note's text. */
export const MOST_NOTE_CHARACTERS = 20_000;
/** Most characters of all texts of a session together. */
export const MOST_CHARACTERS = 500_000;

/** The id that the next new note gets. */
export function nextNoteId(book: NoteBook): string {
  return `n${book.next}`;
}

/** The book with the note written: new, or in the place of the one of its id, which counts as written now. */
export function withNote(book: NoteBook, note: Note): NoteBook {
  const number = Number(note.id.slice(1));
  return {
    next: Math.max(book.next, number + 1),
    notes: [...book.notes.filter(({ id }) => id !== note.id), note],
  };
}

/** The book without that note. */
export function withoutNote(book: NoteBook, id: string): NoteBook {
  return { ...book, notes: book.notes.filter((note) => note.id !== id) };
}

/**
 * Which bound a text would break, written new or in the place of the note `replaces`; null when there is room for it.
 */
export function boundBroken(book: NoteBook, text: string, replaces: string | null): "notes" | "characters" | null {
  const others = book.notes.filter(({ id }) => id !== replaces);
  if (others.length >= MOST_NOTES) return "notes";
  const characters = others.reduce((sum, note) => sum + note.text.length, text.length);
  return characters > MOST_CHARACTERS ? "characters" : null;
}
