import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { messageIds, render } from "../reply.ts";
import { changeWindow } from "../windows/change-window.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { command, json, mutating, readingResult, wireMessage } from "./command.ts";

const result = z.object({
  window_id: z.string(),
  window_number: z.number(),
  revision: z.number(),
  checkpoint: checkpointResult,
  tokens_before: z.number(),
  reading: readingResult,
  message_ids: z.array(z.string()).optional(),
  system: json.optional(),
  messages: z.array(wireMessage).optional(),
});

export const windowOpen = command({
  name: "window.open",
  summary: "Closes the window and opens the next from a checkpoint: at a milestone, or when a context has gone astray.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject(mutating),
  result,
  decide(hook): z.infer<typeof result> {
    const { session } = hook;
    const before = session.reading;
    if (session.turn === 0 || before === null) {
      throw new ContextdError("invalid_params", "No turn has been started: the window holds nothing to close yet.");
    }
    const checkpoint = reportCheckpoint(changeWindow(hook, "requested"));
    return {
      window_id: session.windowId,
      window_number: session.windowNumber,
      revision: 0,
      checkpoint,
      tokens_before: before.tokens,
      reading: session.reading ?? before,
    };
  },
  complete: ({ session, services }, _params, stored) => ({
    ...stored,
    revision: session.revision,
    message_ids: messageIds(session, services),
    ...render(session, services),
  }),
});
