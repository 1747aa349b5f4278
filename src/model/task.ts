import type { JsonObject } from "./json.ts";

/** Planned is never done: only the agent says that a subtask is. */
export const SUBTASK_STATUSES = ["planned", "in_progress", "done", "blocked"] as const;
export type SubtaskStatus = (typeof SUBTASK_STATUSES)[number];

export interface Subtask {
  readonly id: string;
  readonly title: string;
  readonly status: SubtaskStatus;
  readonly note?: string;
}

export interface Decision {
  readonly decision: string;
  readonly rationale: string;
  readonly alternatives: readonly string[];
}

/** A subtask as an update gives it: what is absent stays as it is. A new one needs a title, and is planned. */
export interface SubtaskUpdate {
  readonly id: string;
  readonly title?: string | undefined;
  readonly status?: SubtaskStatus | undefined;
  readonly note?: string | null | undefined;
}

/**
 * A change of the task state. What describes the state of now takes the place of what was (goal, success criteria,
 * constraints, open issues, next step); what records adds to it (decisions, learnings); subtasks are merged by id,
 * environment by key, where null takes a key away. An id that an update does not name keeps its status.
 */
export interface TaskUpdate {
  readonly goal?: string | undefined;
  readonly success_criteria?: readonly string[] | undefined;
  readonly constraints?: readonly string[] | undefined;
  readonly subtasks?: readonly SubtaskUpdate[] | undefined;
  /** Ids of subtasks that the agent no longer has. */
  readonly remove_subtasks?: readonly string[] | undefined;
  readonly decisions?: readonly Decision[] | undefined;
  readonly open_issues?: readonly string[] | undefined;
  readonly learnings?: readonly string[] | undefined;
  readonly environment?: JsonObject | undefined;
  readonly next_step?: string | null | undefined;
  /** True: the subtasks, decisions, learnings and environment given take the place of all that stand. */
  readonly replace?: boolean | undefined;
}
