import { EMPTY_BOOK, type NoteBook, updateTask, withNote, withoutNote } from "../../notes/index.ts";
import { removeOwn } from "../live-context.ts";
import { CHECKPOINTS_KEPT, type Checkpoint, type Delegation } from "../session.ts";
import type { Folds } from "./fold.ts";

/** What is known of the work itself: task, notes, subtasks in other hands, checkpoints. */
export const workFolds = {
  "note.written": (session, data) => {
    const { note_id: id, category, importance, text, tokens } = data;
    session.notes = withNote(session.notes, { id, category, importance, text, tokens, turn: session.turn });
  },
  "note.removed": (session, data) => {
    session.notes = withoutNote(session.notes, data.note_id);
  },
  "task.updated": (session, data) => {
    session.taskState = updateTask(session.taskState, data.update);
  },
  "delegation.opened": (session, data) => {
    const opened: Delegation = {
      childSessionId: data.child_session_id,
      title: data.title,
      status: "open",
      budgetTokens: data.budget_tokens,
      openedTurn: data.turn,
      result: null,
      closedTurn: null,
    };
    session.delegations = { ...session.delegations, [data.delegation_id]: opened };
  },
  "delegation.closed": (session, data) => {
    const { delegation_id: id, status, result_hash: hash, handle, tokens_before: tokens, turn } = data;
    const opened = session.delegations[id];
    if (!opened) throw new Error(`event names delegation ${id}, which the session does not have`);
    const result = hash === null || handle === null ? null : { hash, handle, tokens };
    session.delegations = { ...session.delegations, [id]: { ...opened, status, result, closedTurn: turn } };
  },
  "checkpoint.saved": (session, data) => {
    const saved: Checkpoint = {
      id: data.checkpoint_id,
      windowId: data.window_id,
      windowNumber: data.window_number,
      stateVersion: data.state_version,
      turn: session.turn,
      reason: data.reason,
      hash: data.hash,
      bytes: data.bytes,
      savedAt: data.saved_at,
      ttlSeconds: data.ttl_seconds,
    };
    session.checkpoints = [...session.checkpoints, saved].slice(-CHECKPOINTS_KEPT);
    session.checkpointsSaved++;
  },
  "checkpoint.restored": (session, { state, state_version }) => {
    session.task ??= state.stated;
    session.taskState = updateTask(session.taskState, state.task);
    session.notes = state.notes.reduce<NoteBook>(
      (book, { note_id: id, ...note }) => withNote(book, { ...note, id, turn: session.turn }),
      { ...EMPTY_BOOK, next: session.notes.next },
    );
    session.rules = state.rules.map((text) => ({ text, blockId: null }));
    removeOwn(session, session.summary?.messageId ?? null);
    session.summary = state.summary && {
      messageId: null,
      held: state.summary.text,
      passId: "",
      summarizer: "extractive",
      generation: state.summary.generation,
    };
    session.stateVersion = Math.max(session.stateVersion, state_version);
  },
  "bootstrap.verified": (session) => {
    session.expectedEnvironment = null;
  },
} satisfies Folds;
