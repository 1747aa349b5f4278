import { z } from "zod";
import { lastCheckpoint, saveCheckpoint } from "../windows/checkpoint.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { command, mutating } from "./command.ts";

export const checkpointSave = command({
  name: "checkpoint.save",
  summary: "Writes down what the session knows of its task, for another window or process to go on from.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject(mutating),
  result: z.object({
    saved: z
      .boolean()
      .describe("False where nothing has changed since the newest checkpoint, which is the answer then."),
    checkpoint: checkpointResult,
  }),
  decide(hook) {
    const before = lastCheckpoint(hook.session)?.id;
    const checkpoint = saveCheckpoint(hook, "requested");
    return { saved: checkpoint.id !== before, checkpoint: reportCheckpoint(checkpoint) };
  },
});
