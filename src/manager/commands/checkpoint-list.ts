import { z } from "zod";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { command, sessionId } from "./command.ts";

export const checkpointList = command({
  name: "checkpoint.list",
  summary: "The checkpoints of a session, the newest first; the last 50 are kept.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: false,
  params: z.strictObject({ session_id: sessionId }),
  result: z.object({
    window_id: z.string().describe("The session's window now."),
    window_number: z.number(),
    state_version: z.number().describe("What a checkpoint must be above to be loaded into this session."),
    saved: z.number().describe("How many were saved over the session's life."),
    checkpoints: z.array(checkpointResult),
  }),
  decide({ session }) {
    return {
      window_id: session.windowId,
      window_number: session.windowNumber,
      state_version: session.stateVersion,
      saved: session.checkpointsSaved,
      checkpoints: session.checkpoints.map(reportCheckpoint).reverse(),
    };
  },
});
