import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { measure } from "../measure.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { loadCheckpoint } from "../windows/load-checkpoint.ts";
import { bootstrapOf, bootstrapResult } from "../windows/resume.ts";
import { findCheckpoint, readDocument } from "../windows/stored-checkpoint.ts";
import { command, json, mutating, readingResult, sessionId } from "./command.ts";

export const checkpointLoad = command({
  name: "checkpoint.load",
  summary:
    "Goes on from a checkpoint: its task, notes and summary, in a new window. A stale or foreign one is refused.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    checkpoint: json.optional().describe("The document, as checkpoint.get gave it or as it was exported."),
    from_session: sessionId.optional().describe("Or: a session of yours that saved it, open or closed."),
    checkpoint_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("Which of that session's, or else of this one's; default: the newest."),
  }),
  result: z.object({
    window_id: z.string(),
    revision: z.number(),
    state_version: z.number(),
    checkpoint: checkpointResult.describe("What this session saved with it: the window begins with this one."),
    bootstrap: bootstrapResult.nullable(),
    reading: readingResult,
  }),
  async prepare(reader, session, { checkpoint, from_session, checkpoint_id }) {
    const ways = [checkpoint, from_session ?? checkpoint_id].filter((given) => given !== undefined);
    if (ways.length !== 1) {
      throw new ContextdError(
        "invalid_params",
        "Give a checkpoint's document as `checkpoint`, or where it is: `from_session`, `checkpoint_id`, or both.",
        { path: "checkpoint" },
      );
    }
    if (checkpoint !== undefined) return checkpoint;
    if (from_session === undefined) return readDocument(reader.journal, findCheckpoint(session, checkpoint_id ?? null));
    const saved = await reader.checkpointOf(from_session, checkpoint_id ?? null);
    return readDocument(reader.journal, saved);
  },
  decide(hook, _params, { prepared: offered }) {
    const { session } = hook;
    const opened = loadCheckpoint(hook, offered);
    // A refused call is answered with its error: nobody sees a reply without a checkpoint.
    return {
      window_id: session.windowId,
      revision: 0,
      state_version: session.stateVersion,
      checkpoint: opened && reportCheckpoint(opened),
      bootstrap: null,
      reading: measure(hook, "edit").reading,
    } as never;
  },
  complete: ({ session, services }, _params, stored) => ({
    ...stored,
    revision: session.revision,
    bootstrap: bootstrapOf(session, services),
  }),
});
