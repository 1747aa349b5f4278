import { z } from "zod";
import { reportTask, taskResult } from "../task-report.ts";
import { command, sessionId } from "./command.ts";

export const taskGet = command({
  name: "task.get",
  summary: "What is known of the task: as it was stated, as updated since, and from the agent's own todo lists.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({ session_id: sessionId }),
  result: taskResult,
  decide: ({ session }) => reportTask(session.taskState),
});
