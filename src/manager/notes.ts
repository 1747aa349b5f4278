import { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../model/note.ts";
import { boundBroken, MOST_CHARACTERS, MOST_NOTES, type Note, type NoteBook } from "../notes/index.ts";
import type { Services } from "./hook.ts";
import { standingLimit } from "./passes/standing.ts";
import type { Session } from "./session.ts";

export const noteResult = z.object({
  note_id: z.string(),
  category: z.enum(NOTE_CATEGORIES),
  importance: z.enum(NOTE_IMPORTANCES),
  text: z.string(),
  tokens: z.number(),
  turn: z.number().describe("Turn in which it was last written."),
});

export const noteBudgetResult = z
  .object({
    used: z.number().describe("Tokens of all notes, uncalibrated."),
    limit: z
      .number()
      .describe("Tokens that rules, task state and notes may take together in the context, uncalibrated."),
  })
  .describe("What the notes take of what can be shown.");

export function reportNote({ id, category, importance, text, tokens, turn }: Note): z.infer<typeof noteResult> {
  return { note_id: id, category, importance, text, tokens, turn };
}

export function reportBudget(
  session: Session,
  services: Pick<Services, "settings" | "calibration">,
): z.infer<typeof noteBudgetResult> {
  const used = session.notes.notes.reduce((sum, { tokens }) => sum + tokens, 0);
  return { used, limit: standingLimit(session, services) };
}

/** The note of that id. Throws content_not_found. */
export function noteOf(book: NoteBook, id: string): Note {
  const note = book.notes.find((each) => each.id === id);
  if (note) return note;
  throw new ContextdError(
    "content_not_found",
    `This session has no note ${id.slice(0, 40)}: note.list names them; leave note_id out to write a new one.`,
    { path: "note_id" },
  );
}

/** Throws budget_exceeded where the session holds as many notes, or as much of them, as it may. */
export function refuseOverfull(book: NoteBook, text: string, replaces: string | null): void {
  const broken = boundBroken(book, text, replaces);
  if (broken === null) return;
  throw new ContextdError(
    "budget_exceeded",
    broken === "notes"
      ? `The session has ${MOST_NOTES} notes, the most it may: replace one by its note_id, or remove some.`
      : `With this text the session's notes would have over ${MOST_CHARACTERS} characters, the most they may: replace or remove some.`,
    broken === "notes" ? { path: "note_id", limit: MOST_NOTES } : { path: "text", limit: MOST_CHARACTERS },
  );
}
