import { z } from "zod";
import { mergeSettings } from "../../config/index.ts";
import type { JsonObject } from "../../model/json.ts";
import { measure } from "../measure.ts";
import { command, mutating, readingResult } from "./command.ts";

export const sessionConfigure = command({
  name: "session.configure",
  summary: "Changes a session's own settings at run time: eviction policy, thresholds, budgets, window.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: true,
  params: z.strictObject({
    ...mutating,
    settings: z.looseObject({}).describe("Same keys as the config; merged over what the session has."),
  }),
  result: z.object({ session_id: z.string(), settings: z.record(z.string(), z.unknown()), reading: readingResult }),
  decide(hook, params) {
    const { session, services } = hook;
    const settings = mergeSettings(session.ownSettings, params.settings as JsonObject);
    // The caller resolved `settings` against the schema before this; `services.settings` already has them.
    hook.emit("session.configured", { settings });
    const maxTokens = services.settings.max_context_tokens;
    // A change of something else must not undo what was learned of the window; one of the window itself is obeyed, so
    // that there is a way past a limit that was learned wrong: the next prompt above it refutes it.
    const isNamed = params.settings["max_context_tokens"] !== undefined;
    if (isNamed && maxTokens !== null && maxTokens !== session.maxTokens) {
      hook.emit("window.resized", { max_tokens: maxTokens, learned_from: "configured" });
    }
    const { reading } = measure(hook, "edit", "configured");
    return { session_id: session.key.id, settings, reading };
  },
});
