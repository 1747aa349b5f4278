import type { Task } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import {
  CHECKPOINT_FORMAT,
  type CheckpointDocument,
  GIVES_WAY,
  type GivesWay,
  MOST,
  MOST_BYTES,
  MOST_ITEMS,
} from "./document.ts";
import { bytesOf, checksumOf, taskHash } from "./hashes.ts";
import { type Mask, maskedEnvironment } from "./mask.ts";

/** What a session gives of itself; what follows from it is added. */
export type CheckpointFields = Omit<CheckpointDocument, "format" | "task_hash" | "left_out" | "checksum">;

export interface MakeOptions {
  /** Masks secrets in what agents and users wrote; ids, labels, hashes and versions are not given to it. */
  readonly mask: Mask;
  /** The task as it was stated when the session was opened; null: none was. */
  readonly statedTask: Task | null;
}

/**
 * The document of a session's state: secrets masked, hashed, and always such that `readCheckpoint` accepts it. Lists
 * and texts beyond the document's bounds are cut (the newest items stay); where it is still bigger than MOST_BYTES,
 * whole fields are emptied in the order of GIVES_WAY, and `left_out` names them.
 */
export function makeCheckpoint(fields: CheckpointFields, { mask, statedTask }: MakeOptions): CheckpointDocument {
  const document = withinBytes({
    format: CHECKPOINT_FORMAT,
    ...figuresOf(fields),
    task_hash: taskHash(statedTask),
    ...maskedFields(fields, mask),
    context: contextOf(fields.context),
  });
  return { ...document, checksum: checksumOf(document) };
}

/** What is copied as it is. By name, here as below: what else an object of the caller's holds is no part of the document. */
function figuresOf(fields: CheckpointFields) {
  return {
    checkpoint_id: fields.checkpoint_id,
    session_id: fields.session_id,
    agent: fields.agent,
    profile: fields.profile,
    model: fields.model,
    message_format: fields.message_format,
    window_id: fields.window_id,
    window_number: fields.window_number,
    turn: fields.turn,
    state_version: fields.state_version,
    reason: fields.reason,
    saved_at: fields.saved_at,
    ttl_seconds: fields.ttl_seconds,
  };
}

function contextOf({ tokens, max_tokens, utilization }: CheckpointFields["context"]) {
  return { tokens, max_tokens, utilization };
}

function maskedFields(fields: CheckpointFields, mask: Mask) {
  const say = (most: number) => (text: string) => mask(text).slice(0, most);
  const said = say(MOST.text);
  const stated = say(MOST.stated);
  const { task, summary } = fields;
  return {
    task: {
      goal: task.goal === null ? null : stated(task.goal),
      success_criteria: newest(task.success_criteria, MOST.items).map(stated),
      constraints: newest(task.constraints, MOST.items).map(stated),
    },
    user_rules: newest(fields.user_rules, MOST_ITEMS.user_rules).map(stated),
    subtasks: newest(fields.subtasks, MOST_ITEMS.subtasks).map(({ id, title, status, note }) => ({
      id,
      title: say(MOST.title)(title),
      status,
      ...(note === undefined ? {} : { note: say(MOST.subtaskNote)(note) }),
    })),
    next_step: fields.next_step === null ? null : said(fields.next_step),
    decisions: newest(fields.decisions, MOST_ITEMS.decisions).map(({ decision, rationale, alternatives }) => ({
      decision: said(decision),
      rationale: said(rationale),
      alternatives: newest(alternatives, MOST.alternatives).map(said),
    })),
    open_issues: newest(fields.open_issues, MOST_ITEMS.open_issues).map(said),
    learnings: newest(fields.learnings, MOST_ITEMS.learnings).map(said),
    notes: newest(fields.notes, MOST_ITEMS.notes).map(({ note_id, category, importance, text }) => ({
      note_id,
      category,
      importance,
      text: said(text),
    })),
    environment: maskedEnvironment(fields.environment, mask),
    delegations: newest(fields.delegations, MOST_ITEMS.delegations).map((delegation) => ({
      delegation_id: delegation.delegation_id,
      child_session_id: delegation.child_session_id,
      title: say(MOST.delegationTitle)(delegation.title),
      status: delegation.status,
      budget_tokens: delegation.budget_tokens,
    })),
    summary: summary === null ? null : { text: say(MOST.carried)(summary.text), generation: summary.generation },
    ledger: fields.ledger === null ? null : say(MOST.carried)(fields.ledger),
  };
}

function newest<T>(items: readonly T[], most: number): readonly T[] {
  return items.length <= most ? items : items.slice(-most);
}

const EMPTIED: Readonly<Pick<CheckpointDocument, GivesWay>> = {
  ledger: null,
  summary: null,
  learnings: [],
  notes: [],
  environment: {},
  delegations: [],
  decisions: [],
  user_rules: [],
  open_issues: [],
  subtasks: [],
  next_step: null,
  task: { goal: null, success_criteria: [], constraints: [] },
};

/** Bytes that checksum and `left_out` come to at most. */
const ROOM = 512;

type Unsealed = Omit<CheckpointDocument, "checksum">;

function withinBytes(document: Unsealed): Unsealed {
  let over = bytesOf(document) + ROOM - MOST_BYTES;
  if (over <= 0) return document;
  const left: GivesWay[] = [];
  const emptied: JsonObject = {};
  for (const field of GIVES_WAY) {
    const saved = bytesOf(document[field]) - bytesOf(EMPTIED[field]);
    if (over <= 0 || saved <= 0) continue;
    over -= saved;
    left.push(field);
    emptied[field] = EMPTIED[field] as JsonObject[string];
  }
  return { ...document, ...emptied, left_out: left };
}
