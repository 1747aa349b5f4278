/** What a note is about; in the order in which notes of equal importance are shown. */
export const NOTE_CATEGORIES = ["constraints", "decisions", "bugs", "task_progress", "learnings", "misc"] as const;
export type NoteCategory = (typeof NOTE_CATEGORIES)[number];

/** How much a note matters; the most important are shown first. */
export const NOTE_IMPORTANCES = ["critical", "high", "normal"] as const;
export type NoteImportance = (typeof NOTE_IMPORTANCES)[number];
