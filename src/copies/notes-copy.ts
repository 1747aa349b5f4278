import type { SessionKey } from "../model/session-key.ts";
import type { Copy } from "./copy.ts";

/** A note as its reader sees it. */
export interface NoteForPeople {
  readonly note_id: string;
  readonly category: string;
  readonly importance: string;
  readonly text: string;
}

export interface NotesCopyDependencies {
  readonly fileOf: (profile: string) => string | null;
  /** A session's notes in the order in which they are shown. */
  readonly notesOf: (key: SessionKey) => Promise<readonly NoteForPeople[]>;
}

/** Each session's notes as Markdown. */
export function notesCopy({ fileOf, notesOf }: NotesCopyDependencies): Copy {
  return {
    what: "a session's notes",
    extension: ".md",
    fileOf,
    textAfter: ({ type }) =>
      type === "note.written" || type === "note.removed" ? async (key) => markdown(key.id, await notesOf(key)) : null,
  };
}

function markdown(id: string, notes: readonly NoteForPeople[]): string {
  const title = `# Notes of ${JSON.stringify(id)}\n`;
  const sections = notes.map(
    ({ note_id, category, importance, text }) => `\n## ${note_id} (${category}, ${importance})\n\n${text.trimEnd()}\n`,
  );
  return [title, ...sections].join("");
}
