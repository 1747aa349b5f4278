import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../../model/note.ts";
import { MOST_NOTE_CHARACTERS, nextNoteId } from "../../notes/index.ts";
import type { Hook } from "../hook.ts";
import { noteBudgetResult, noteOf, refuseOverfull, reportBudget } from "../notes.ts";
import { wouldShow } from "../passes/standing.ts";
import { command, mutating } from "./command.ts";

export const noteWrite = command({
  name: "note.write",
  summary: "Writes a note that is kept in view word for word, by importance and category; or replaces or removes one.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    text: z
      .string()
      .max(MOST_NOTE_CHARACTERS)
      .regex(/\S/, "must hold more than white space")
      .nullable()
      .describe("What is to be kept; null: the note of `note_id` is removed."),
    category: z
      .enum(NOTE_CATEGORIES)
      .optional()
      .describe("What the note is about; default: `misc`, of a note that is replaced its own."),
    importance: z
      .enum(NOTE_IMPORTANCES)
      .optional()
      .describe("The most important are shown first; default: `normal`, of a note that is replaced its own."),
    note_id: z.string().max(64).optional().describe("The note to replace or remove; absent: a new one."),
  }),
  result: z.object({
    note_id: z.string(),
    tokens: z.number(),
    shown: z
      .enum(["at_next_pass", "no_room", "removed"])
      .describe(
        "`at_next_pass`: when the context is next edited; `no_room`: others come first, and note.list has it; `removed`: no more.",
      ),
    budget: noteBudgetResult,
  }),
  decide(hook, { text, note_id, category, importance }) {
    const { session, services } = hook;
    const replaced = note_id === undefined ? null : noteOf(session.notes, note_id);
    if (text === null) return remove(hook, replaced?.id ?? null);
    refuseOverfull(session.notes, text, replaced?.id ?? null);
    const id = replaced?.id ?? nextNoteId(session.notes);
    const tokens = services.countText(text);
    hook.emit("note.written", {
      note_id: id,
      category: category ?? replaced?.category ?? "misc",
      importance: importance ?? replaced?.importance ?? "normal",
      text,
      tokens,
      replaces: replaced?.id ?? null,
    });
    return {
      note_id: id,
      tokens,
      shown: wouldShow(hook, id) ? ("at_next_pass" as const) : ("no_room" as const),
      budget: reportBudget(session, services),
    };
  },
});

function remove(hook: Hook, id: string | null) {
  if (id === null) {
    throw new ContextdError(
      "invalid_params",
      "text is null, which removes a note: name it by note_id, or give a text.",
      {
        path: "note_id",
      },
    );
  }
  hook.emit("note.removed", { note_id: id });
  return { note_id: id, tokens: 0, shown: "removed" as const, budget: reportBudget(hook.session, hook.services) };
}
