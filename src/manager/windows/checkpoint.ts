import { maskSecrets, renderSummary } from "../../compression/index.ts";
import type { CheckpointReason } from "../../model/events.ts";
import { type CheckpointDocument, makeCheckpoint } from "../../window/checkpoint/index.ts";
import type { Hook, Services } from "../hook.ts";
import { currentTokens } from "../measure.ts";
import { standingSections } from "../passes/history-summary.ts";
import { ledgerRows } from "../passes/ledger.ts";
import type { Checkpoint, Session } from "../session.ts";

const SECONDS_AN_HOUR = 3600;

/** The newest checkpoint; undefined where none was saved. */
export function lastCheckpoint({ checkpoints }: Session): Checkpoint | undefined {
  return checkpoints.at(-1);
}

/** Saves what the session knows, unless nothing of it has changed since the last time. Answers the checkpoint that holds it. */
export function saveCheckpoint(hook: Hook, reason: CheckpointReason): Checkpoint {
  const { session, services } = hook;
  const last = lastCheckpoint(session);
  if (last?.stateVersion === session.stateVersion) return last;
  const document = documentOf(session, services, reason);
  const body = JSON.stringify(document);
  hook.emit("checkpoint.saved", {
    checkpoint_id: document.checkpoint_id,
    window_id: document.window_id,
    window_number: document.window_number,
    state_version: document.state_version,
    reason,
    hash: hook.storeText(body),
    bytes: Buffer.byteLength(body),
    saved_at: services.now,
    ttl_seconds: document.ttl_seconds,
    task_hash: document.task_hash,
  });
  return lastCheckpoint(session) as Checkpoint;
}

function documentOf(session: Session, services: Services, reason: CheckpointReason): CheckpointDocument {
  const { goal, success_criteria, constraints, subtasks, next_step, decisions, open_issues, learnings, environment } =
    session.taskState;
  const hours = services.settings.cross_window.checkpoint_ttl_hours;
  const sections = standingSections(session);
  const rows = Object.values(ledgerRows(session)).flat();
  const { tokens } = currentTokens(session, services);
  return makeCheckpoint(
    {
      checkpoint_id: `c${session.checkpointsSaved + 1}`,
      session_id: session.key.id,
      agent: session.agent,
      profile: session.profile,
      model: session.model,
      message_format: session.format,
      window_id: session.windowId,
      window_number: session.windowNumber,
      turn: session.turn,
      state_version: session.stateVersion,
      reason,
      saved_at: new Date(services.now).toISOString(),
      ttl_seconds: hours === 0 ? null : Math.round(hours * SECONDS_AN_HOUR),
      task: { goal, success_criteria, constraints },
      user_rules: session.rules.map(({ text }) => text),
      subtasks,
      next_step,
      decisions,
      open_issues,
      learnings,
      notes: session.notes.notes.map(({ id, category, importance, text }) => ({
        note_id: id,
        category,
        importance,
        text,
      })),
      environment,
      delegations: Object.entries(session.delegations).map(([id, delegation]) => ({
        delegation_id: id,
        child_session_id: delegation.childSessionId,
        title: delegation.title,
        status: delegation.status,
        budget_tokens: delegation.budgetTokens,
      })),
      summary: sections && { text: renderSummary(sections), generation: session.summary?.generation ?? 1 },
      ledger: rows.length === 0 ? null : rows.join("\n"),
      context: { tokens, max_tokens: session.maxTokens, utilization: tokens / session.maxTokens },
    },
    { mask: maskSecrets, statedTask: session.task },
  );
}
