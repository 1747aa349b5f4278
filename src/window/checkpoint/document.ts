import { z } from "zod";
import { CHECKPOINT_REASONS, DELEGATION_OUTCOMES } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { MESSAGE_FORMATS } from "../../model/message.ts";
import { NOTE_CATEGORIES, NOTE_IMPORTANCES } from "../../model/note.ts";
import { SUBTASK_STATUSES } from "../../model/task.ts";

/** Name and version of the document's shape: a reader that knows another refuses it. */
export const CHECKPOINT_FORMAT = "contextd.checkpoint/1";

/** Masking a secret lengthens a text, to twice its characters at most. */
const MASKED = 2;

/**
 * Bounds of the document: at least what task.update, note.write and session.open let in, so that a document that was
 * made is always accepted. Texts are in characters.
 */
export const MOST = {
  /** What session.open takes as goal, criterion or constraint. */
  stated: 1_000_000 * MASKED,
  /** What task.update and note.write take as one text. */
  text: 20_000 * MASKED,
  title: 1_000 * MASKED,
  subtaskNote: 2_000 * MASKED,
  delegationTitle: 200 * MASKED,
  /** Summary, ledger: shares of a window. */
  carried: 4_000_000,
  environmentKey: 256 * MASKED,
  label: 256,
  id: 64,
  /** Criteria, constraints: items. */
  items: 1_000,
  alternatives: 100,
  leftOut: 16,
} as const;

/** Most items of the document's lists. Decisions and learnings add up: 500,000 characters of JSON hold no more. */
export const MOST_ITEMS = {
  user_rules: 1_000,
  subtasks: 200,
  decisions: 125_000,
  open_issues: 1_000,
  learnings: 125_000,
  notes: 1_000,
  delegations: 10_000,
} as const;

/**
 * Most bytes of a document as JSON: with the call around it, it fits into a body as `server.limits.body_bytes` allows
 * it by default, 4 MiB.
 */
export const MOST_BYTES = (4 << 20) - (64 << 10);

/** Deepest nesting: what `server.limits.json_depth` can allow at most. */
export const MOST_DEPTH = 1_000;

/** Fields that may be empty because the document would have been too big, in the order in which they give way. */
export const GIVES_WAY = [
  "ledger",
  "summary",
  "learnings",
  "notes",
  "environment",
  "delegations",
  "decisions",
  "user_rules",
  "open_issues",
  "subtasks",
  "next_step",
  "task",
] as const;
export type GivesWay = (typeof GIVES_WAY)[number];

const said = () => z.string().max(MOST.text);
const stated = () => z.string().max(MOST.stated);
const id = () => z.string().min(1).max(MOST.id);
const label = () => z.string().max(MOST.label);
const hash = () => z.string().regex(/^[0-9a-f]{64}$/);
/** A list whose length is looked at before its items are: a long one of wrong items costs nothing. */
const short = <Item extends z.ZodType>(item: Item, most: number) =>
  z
    .array(z.unknown())
    .max(most)
    .pipe(z.array(item).max(most) as z.ZodType<z.output<Item>[], unknown[]>);
const whole = (least: number) => z.int().min(least);

export const checkpointSchema = z
  .strictObject({
    format: z.literal(CHECKPOINT_FORMAT),
    checkpoint_id: z
      .string()
      .regex(/^c[1-9][0-9]{0,8}$/)
      .describe("c1, c2 … within the session."),
    session_id: z.string().min(1).max(256),
    agent: label(),
    profile: label(),
    model: label(),
    message_format: z.enum(MESSAGE_FORMATS),
    window_id: z.string().min(1).max(300),
    window_number: whole(1).describe("Number of the session's window; only rises."),
    turn: whole(0),
    state_version: whole(0).describe("Rises with every change of what a checkpoint holds; only rises."),
    reason: z.enum(CHECKPOINT_REASONS).describe("Why it was saved."),
    saved_at: z.iso.datetime().describe("UTC."),
    ttl_seconds: whole(1).nullable().describe("How long it may be loaded; null: for good."),
    task_hash: hash()
      .nullable()
      .describe("SHA-256 of the task as it was stated when the session was opened; null: none was."),
    task: z.strictObject({
      goal: stated().nullable(),
      success_criteria: short(stated(), MOST.items),
      constraints: short(stated(), MOST.items),
    }),
    user_rules: z.array(stated()).max(MOST_ITEMS.user_rules).describe("Rules that the user gave in messages."),
    subtasks: z
      .array(
        z.strictObject({
          id: id(),
          title: z.string().max(MOST.title),
          status: z.enum(SUBTASK_STATUSES).describe("Planned is never done."),
          note: z.string().max(MOST.subtaskNote).optional(),
        }),
      )
      .max(MOST_ITEMS.subtasks),
    next_step: said().nullable(),
    decisions: z
      .array(
        z.strictObject({
          decision: said(),
          rationale: said(),
          alternatives: short(said(), MOST.alternatives),
        }),
      )
      .max(MOST_ITEMS.decisions),
    open_issues: z.array(said()).max(MOST_ITEMS.open_issues),
    learnings: z.array(said()).max(MOST_ITEMS.learnings),
    notes: z
      .array(
        z.strictObject({
          note_id: id(),
          category: z.enum(NOTE_CATEGORIES),
          importance: z.enum(NOTE_IMPORTANCES),
          text: said(),
        }),
      )
      .max(MOST_ITEMS.notes),
    environment: z
      .record(z.string().max(MOST.environmentKey), z.unknown())
      .describe("Where the agent works, as it said: cwd, branch, commit, files with hashes, anything."),
    delegations: z
      .array(
        z.strictObject({
          delegation_id: id(),
          child_session_id: z.string().min(1).max(256),
          title: z.string().max(MOST.delegationTitle),
          status: z.enum(["open", ...DELEGATION_OUTCOMES]),
          budget_tokens: whole(0),
        }),
      )
      .max(MOST_ITEMS.delegations)
      .describe("Subtasks that were handed to sessions of their own."),
    summary: z
      .strictObject({ text: z.string().max(MOST.carried), generation: whole(0) })
      .nullable()
      .describe("What happened so far; generation: how many times it was folded."),
    ledger: z
      .string()
      .max(MOST.carried)
      .nullable()
      .describe("Lines of the work that were carried over, word for word."),
    context: z.strictObject({ tokens: whole(0), max_tokens: whole(1), utilization: z.number().min(0) }),
    left_out: short(z.enum(GIVES_WAY), MOST.leftOut)
      .optional()
      .describe("Fields that are empty only because the document would have been too big; absent: none."),
    checksum: hash().describe(
      "SHA-256, in hex, of all other fields as JSON without white space, the keys of every object in code-unit order.",
    ),
  })
  .describe("What one window of a session leaves to the next, as contextd saves it.");

type DeepReadonly<T> = T extends JsonObject[string] & (string | number | boolean | null)
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : { readonly [Key in keyof T]: DeepReadonly<T[Key]> };

/** The document. Immutable: a change of any field breaks its checksum. */
export type CheckpointDocument = DeepReadonly<Omit<z.output<typeof checkpointSchema>, "environment">> & {
  readonly environment: JsonObject;
};
