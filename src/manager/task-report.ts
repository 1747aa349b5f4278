import { z } from "zod";
import { SUBTASK_STATUSES } from "../model/task.ts";
import type { TaskState } from "../notes/index.ts";

export const decisionShape = {
  decision: z.string(),
  rationale: z.string(),
  alternatives: z.array(z.string()),
};

/** The task state on the wire: what is known of the task now. */
export const taskResult = z.object({
  version: z.number().describe("Rises by one with each update; 0 before the first."),
  goal: z.string().nullable(),
  success_criteria: z.array(z.string()),
  constraints: z.array(z.string()),
  subtasks: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      status: z.enum(SUBTASK_STATUSES),
      note: z.string().optional(),
    }),
  ),
  decisions: z.array(z.object(decisionShape)),
  open_issues: z.array(z.string()),
  learnings: z.array(z.string()),
  environment: z.record(z.string(), z.unknown()),
  next_step: z.string().nullable(),
});

export function reportTask(state: TaskState): z.infer<typeof taskResult> {
  return structuredClone(state) as unknown as z.infer<typeof taskResult>;
}
