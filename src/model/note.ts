/** What a note is about; in the order in which notes of equal importance are shown. */
export const NOTE_CATEGORIES = ["constraints", "decisions", "bugs", "task_progress", "learnings", "misc"] as const;
export type NoteCategory = (typeof NOTE_CATEGORIES)[number];

/** How much a note matters; the most important are shown first. */
export const NOTE_IMPORTANCES = ["critical", "high", "normal"] as const;
export type NoteImportance = (typeof NOTE_IMPORTANCES)[number];

/** What the agent wrote down for itself. Shown word for word or not at all. */
export interface Note {
  /** `n1`, `n2`, … in the order in which they were first written. */
  readonly id: string;
  readonly category: NoteCategory;
  readonly importance: NoteImportance;
  readonly text: string;
  /** Tokens of the text, uncalibrated. */
  readonly tokens: number;
  /** Turn in which it was last written. */
  readonly turn: number;
}

/** The notes by importance, then category, then the newest first. `notes`: those written last at the end. */
export function inOrder(notes: readonly Note[]): Note[] {
  const rank = ({ importance, category }: Note) =>
    NOTE_IMPORTANCES.indexOf(importance) * NOTE_CATEGORIES.length + NOTE_CATEGORIES.indexOf(category);
  return [...notes].reverse().sort((a, b) => rank(a) - rank(b));
}

/** Tokens of a note's label and line break, at most. */
export const NOTE_LABEL_TOKENS = 12;

/** A note as it is shown: its text is in it byte for byte. */
export function noteLine({ id, category, importance, text }: Note): string {
  return `${id} (${category}, ${importance}): ${text}`;
}
