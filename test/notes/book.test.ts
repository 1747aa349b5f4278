import { describe, expect, it } from "vitest";
import type { NoteCategory, NoteImportance } from "../../src/model/note.ts";
import {
  boundBroken,
  chooseNotes,
  EMPTY_BOOK,
  inOrder,
  MOST_CHARACTERS,
  MOST_NOTES,
  type Note,
  type NoteBook,
  nextNoteId,
  withNote,
  withoutNote,
} from "../../src/notes/index.ts";

const note = (id: string, more: Partial<Note> = {}): Note => ({
  id,
  category: "misc",
  importance: "normal",
  text: `text of ${id}`,
  tokens: 4,
  turn: 1,
  ...more,
});
const bookOf = (...notes: Note[]): NoteBook => notes.reduce(withNote, EMPTY_BOOK);
const ids = (notes: readonly Note[]) => notes.map(({ id }) => id);

describe("a book of notes", () => {
  it("numbers them and gives no number twice, even when the last one was removed", () => {
    const book = withoutNote(bookOf(note("n1"), note("n2")), "n2");
    expect(ids(book.notes)).toEqual(["n1"]);
    expect(nextNoteId(book)).toBe("n3");
  });

  it("has a note that is written again under its id, as the newest", () => {
    const book = withNote(bookOf(note("n1"), note("n2")), note("n1", { text: "other" }));
    expect(ids(book.notes)).toEqual(["n2", "n1"]);
    expect(book.notes[1]?.text).toBe("other");
    expect(nextNoteId(book)).toBe("n3");
  });

  it("takes so many notes and so many characters, and those that it replaces do not count", () => {
    const full = bookOf(...Array.from({ length: MOST_NOTES }, (_, at) => note(`n${at + 1}`)));
    expect(boundBroken(full, "x", null)).toBe("notes");
    expect(boundBroken(full, "x", "n7")).toBeNull();
    const long = bookOf(note("n1", { text: "x".repeat(MOST_CHARACTERS) }));
    expect(boundBroken(long, "x", null)).toBe("characters");
    expect(boundBroken(long, "x".repeat(MOST_CHARACTERS), "n1")).toBeNull();
    expect(boundBroken(long, "x".repeat(MOST_CHARACTERS + 1), "n1")).toBe("characters");
  });
});

describe("the choice of notes", () => {
  const kinds: [string, NoteImportance, NoteCategory][] = [
    ["n1", "normal", "constraints"],
    ["n2", "high", "misc"],
    ["n3", "critical", "misc"],
    ["n4", "critical", "constraints"],
    ["n5", "high", "misc"],
  ];
  const book = bookOf(...kinds.map(([id, importance, category]) => note(id, { importance, category })));

  it("goes by importance, then category, then the newest first", () => {
    expect(ids(inOrder(book.notes))).toEqual(["n4", "n3", "n5", "n2", "n1"]);
  });

  it("shows what fits, whole, and counts the rest", () => {
    const { shown, leftOut } = chooseNotes(book.notes, 2 * 16);
    expect(ids(shown)).toEqual(["n4", "n3"]);
    expect(leftOut).toBe(3);
    expect(shown.every(({ text, id }) => text === `text of ${id}`)).toBe(true);
  });

  it("lets a note that is too long cost no shorter one its place", () => {
    const notes = [note("n1"), note("n2", { importance: "critical", tokens: 500 })];
    expect(ids(chooseNotes(notes, 100).shown)).toEqual(["n1"]);
  });

  it("shows nothing where there is no room", () => {
    expect(chooseNotes(book.notes, -5)).toEqual({ shown: [], leftOut: 5 });
  });
});
