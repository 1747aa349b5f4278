import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { SUBTASK_STATUSES, type TaskUpdate } from "../../model/task.ts";
import { MOST_SUBTASKS, untitled, updateTask } from "../../notes/index.ts";
import type { Session } from "../session.ts";
import { reportTask, taskResult } from "../task-report.ts";
import { tellTask } from "../tell-todos.ts";
import { verifyEnvironment } from "../windows/environment.ts";
import { command, json, mutating } from "./command.ts";

const text = z.string().max(20_000);
const said = text.regex(/\S/, "must hold more than white space");
const list = z.array(said).max(1000);

/** Most characters of the task state as JSON: every snapshot carries it. */
const MOST_CHARACTERS = 500_000;

export const taskUpdate = command({
  name: "task.update",
  summary:
    "Tells what changed in the task: subtasks with their status, decisions, open issues, next step, environment.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    expected_version: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("Refuse with stale_revision unless the task state is of this version."),
    goal: said.optional().describe("In the place of the one that stands."),
    success_criteria: list.optional().describe("All of them: they take the place of those that stand."),
    constraints: list.optional().describe("All of them: they take the place of those that stand."),
    subtasks: z
      .array(
        z.strictObject({
          id: z.string().min(1).max(64),
          title: said.max(1000).optional().describe("Of a new subtask it must be given."),
          status: z.enum(SUBTASK_STATUSES).optional().describe("Of a new subtask: planned."),
          note: z.string().max(2000).nullable().optional(),
        }),
      )
      .max(MOST_SUBTASKS)
      .optional()
      .describe("Merged by id: what is not named stays with its status."),
    remove_subtasks: z
      .array(z.string().max(64))
      .max(MOST_SUBTASKS)
      .optional()
      .describe("Their ids; one that is not there is no mistake."),
    decisions: z
      .array(
        z.strictObject({
          decision: said,
          rationale: text.default(""),
          alternatives: z.array(text).max(100).default([]),
        }),
      )
      .max(1000)
      .optional()
      .describe("Added to those that stand."),
    open_issues: list.optional().describe("All of them: they take the place of those that stand."),
    learnings: list.optional().describe("Added to those that stand."),
    environment: z
      .record(z.string().min(1).max(256), json)
      .optional()
      .describe("Where the agent works: cwd, branch, commit, files with hashes. Merged by key; null takes a key away."),
    next_step: said.nullable().optional().describe("null: none is known."),
    replace: z
      .boolean()
      .optional()
      .describe("The subtasks, decisions, learnings and environment given take the place of all that stand."),
  }),
  result: taskResult.extend({
    verified: z
      .object({
        checks: z.number().describe("Values of the environment that were known and told both."),
        passed: z.number(),
        drifted: z.array(z.string()).describe("Keys that are not as they were when the window began."),
      })
      .nullable()
      .describe("The environment held to what was known of it, once after a window began or the session was resumed."),
  }),
  decide(hook, params) {
    const { session } = hook;
    const {
      session_id: _session,
      idempotency_key: _key,
      expected_revision: _revision,
      window_id: _window,
      expected_version,
      ...given
    } = params;
    const update = given as TaskUpdate & { environment?: JsonObject };
    if (expected_version !== undefined && expected_version !== session.taskState.version) {
      throw new ContextdError(
        "stale_revision",
        `The task is at version ${session.taskState.version}, the call expects ${expected_version}: read it with task.get and repeat.`,
        { version: session.taskState.version },
      );
    }
    refuseUnfit(session, update);
    const verified = update.environment ? verifyEnvironment(hook, update.environment) : null;
    tellTask(hook, update, null);
    return {
      ...reportTask(session.taskState),
      verified: verified && { checks: verified.checks, passed: verified.passed, drifted: [...verified.drifted] },
    };
  },
});

function refuseUnfit(session: Session, update: TaskUpdate): void {
  const index = untitled(session.taskState, update);
  if (index !== null) {
    const path = `subtasks[${index}].title`;
    throw new ContextdError("invalid_params", `${path} is missing: the task has no subtask of that id yet.`, { path });
  }
  if (Object.entries(update).every(([key, value]) => key === "replace" || value === undefined)) {
    throw new ContextdError(
      "invalid_params",
      "Nothing is to be changed: give at least one of goal, subtasks, next_step and the others.",
      {
        path: "subtasks",
      },
    );
  }
  const before = JSON.stringify(session.taskState).length;
  const after = JSON.stringify(updateTask(session.taskState, update)).length;
  if (after <= MOST_CHARACTERS || after <= before) return;
  throw new ContextdError(
    "budget_exceeded",
    `With this update the task state would have ${after} characters, the most are ${MOST_CHARACTERS}: shorten it, or give the lists that are to stay with \`replace\`.`,
    { characters: after, limit: MOST_CHARACTERS },
  );
}
