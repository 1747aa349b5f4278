import { ContextdError, type ErrorReason } from "../../model/errors.ts";
import type { EventData, RestoredState } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import {
  type CheckpointDocument,
  malformedSentence,
  readCheckpoint,
  refusalOf,
  sentenceOf,
  taskHash,
} from "../../window/checkpoint/index.ts";
import type { Hook } from "../hook.ts";
import { ledgerLimit } from "../passes/ledger.ts";
import { addOwnMessage, headOf, tokensOfText } from "../passes/own-message.ts";
import type { Checkpoint } from "../session.ts";
import { changeWindow } from "./change-window.ts";

type Rejection = EventData["checkpoint.rejected"]["reason"];

/** What is said of the lines of another session's ledger. */
const LINES = "Lines carried over from the work before this window, word for word from what tools and users said:";

const ERROR: Readonly<Record<Rejection, ErrorReason>> = {
  malformed: "malformed_checkpoint",
  foreign: "foreign_checkpoint",
  expired: "expired_checkpoint",
  stale: "stale_checkpoint",
};

/**
 * Takes a checkpoint in the place of what the session knows of its task, and opens a window that begins with it. One that
 * may not be taken is refused, which is an event too; null then, and `hook.refusal` says why.
 */
export function loadCheckpoint(hook: Hook, offered: unknown): Checkpoint | null {
  const { session, services } = hook;
  const read = readCheckpoint(offered);
  if ("malformed" in read) {
    const { malformed } = read;
    return reject(hook, "malformed", null, malformedSentence(malformed), { path: `checkpoint.${malformed.path}` });
  }
  const { document } = read;
  const refusal = refusalOf(document, {
    taskHash: session.task === null ? null : taskHash(session.task),
    windowNumber: session.windowNumber,
    stateVersion: session.stateVersion,
    now: services.now,
  });
  if (refusal !== null) {
    const { reason, ...figures } = refusal;
    return reject(hook, reason, document, sentenceOf(refusal), figures);
  }
  hook.emit("checkpoint.restored", {
    checkpoint_id: document.checkpoint_id,
    from_session_id: document.session_id,
    window_number: document.window_number,
    state_version: document.state_version,
    state: restoredState(hook, document),
  });
  const opened = changeWindow(hook, "checkpoint", { after: document.window_number });
  if (document.ledger !== null) giveLines(hook, document.ledger);
  return opened;
}

/**
 * Puts the lines that were carried over into the context, as many as the ledger may take: passes may take them out again
 * like anything else, and carry over of them what is needed.
 */
function giveLines(hook: Hook, ledger: string): void {
  const { session, services } = hook;
  const lines = ledger.split("\n");
  let room = ledgerLimit(hook) / services.calibration - tokensOfText(hook, LINES);
  const fitting = lines.findIndex((line) => {
    room -= services.countText(`${line}\n`);
    return room < 0;
  });
  const shown = fitting < 0 ? lines : lines.slice(0, fitting);
  if (shown.length === 0) return;
  addOwnMessage(hook, [LINES, ...shown].join("\n"), "memory_injection", session.standing ?? headOf(session));
}

function reject(
  hook: Hook,
  reason: Rejection,
  document: CheckpointDocument | null,
  sentence: string,
  figures: JsonObject,
): null {
  const { session } = hook;
  hook.emit("checkpoint.rejected", {
    reason,
    offered_window: document?.window_number ?? null,
    offered_version: document?.state_version ?? null,
    window_number: session.windowNumber,
    state_version: session.stateVersion,
  });
  hook.refusal = new ContextdError(ERROR[reason], sentence, figures);
  return null;
}

function restoredState({ session, services }: Hook, document: CheckpointDocument): RestoredState {
  const { task, subtasks, decisions, open_issues, learnings, environment, next_step, notes, summary } = document;
  const stated = task.goal === null ? null : { ...task, goal: task.goal };
  // The session's own words stand where it is told the same task: secrets are masked in a document.
  const own = session.task ?? stated;
  return {
    stated,
    task: {
      ...(own === null ? {} : own),
      subtasks,
      decisions,
      open_issues,
      learnings,
      environment,
      next_step,
      replace: true,
    },
    notes: notes.map((note) => ({ ...note, tokens: services.countText(note.text) })),
    rules: document.user_rules,
    summary,
  };
}
