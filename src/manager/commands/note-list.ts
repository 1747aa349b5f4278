import { z } from "zod";
import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../../model/note.ts";
import { inOrder } from "../../notes/index.ts";
import { noteBudgetResult, noteResult, reportBudget, reportNote } from "../notes.ts";
import { command, sessionId } from "./command.ts";

export const noteList = command({
  name: "note.list",
  summary: "The agent's notes, word for word: by importance, then category, then the newest first.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    category: z.enum(NOTE_CATEGORIES).optional(),
    importance: z.enum(NOTE_IMPORTANCES).optional(),
    query: z.string().min(1).max(1000).optional().describe("Only notes whose text has it, whatever the case."),
  }),
  result: z.object({
    notes: z.array(noteResult),
    total: z.number().describe("Notes of the session in all."),
    budget: noteBudgetResult,
  }),
  decide({ session, services }, { category, importance, query }) {
    const sought = query?.toLowerCase();
    const found = inOrder(session.notes.notes).filter(
      (note) =>
        (category === undefined || note.category === category) &&
        (importance === undefined || note.importance === importance) &&
        (sought === undefined || note.text.toLowerCase().includes(sought)),
    );
    return {
      notes: found.map(reportNote),
      total: session.notes.notes.length,
      budget: reportBudget(session, services),
    };
  },
});
