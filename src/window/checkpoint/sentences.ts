import type { Malformed } from "./read.ts";
import type { Refusal } from "./refusal.ts";

/** What a client reads of a checkpoint that is not loaded: why, with the versions, and what to do. */
type Sentences = { readonly [Reason in Refusal["reason"]]: (refusal: Extract<Refusal, { reason: Reason }>) => string };

const SENTENCES: Sentences = {
  foreign: ({ task_hash, session_task_hash }) =>
    `The checkpoint is of another task (${task_hash === null ? "none was stated" : shortened(task_hash)}) than this session (${shortened(session_task_hash)}): load it into a session that is opened with that task, or open this one without.`,
  expired: ({ saved_at, ttl_seconds, expired_for_seconds }) =>
    `The checkpoint of ${saved_at} was good for ${ttl_seconds} s and expired ${expired_for_seconds} s ago: load a newer one; cross_window.checkpoint_ttl_hours says how long those saved from now on are good.`,
  stale: ({ window_number, session_window_number, state_version, session_state_version }) =>
    `The checkpoint is of window ${window_number}, state version ${state_version}; the session is at window ${session_window_number}, state version ${session_state_version}, and both only rise: load a newer one, or go on with the session as it is.`,
};

/** The sentence of a refusal. */
export function sentenceOf(refusal: Refusal): string {
  return (SENTENCES[refusal.reason] as (refusal: Refusal) => string)(refusal);
}

/** The sentence of a document that is none. */
export function malformedSentence({ path, expected }: Malformed): string {
  return `${path} of the checkpoint does not fit: expected ${expected}. Give a document as contextd wrote it, unchanged; docs/checkpoint.schema.json has its shape.`;
}

/** The sentence of an id that no checkpoint of the session has. */
export function notFoundSentence(checkpointId: string): string {
  const named = /^c[1-9][0-9]{0,8}$/.test(checkpointId) ? `checkpoint ${checkpointId}` : "checkpoint of that id";
  return `This session has no ${named}: checkpoint.list names those that it has.`;
}

function shortened(hash: string): string {
  return `task ${hash.slice(0, 12)}`;
}
