import type { EventData } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { compareEnvironment } from "../../window/bootstrap/index.ts";
import type { Hook } from "../hook.ts";

/**
 * Holds what the agent tells of its environment to what was known of it when the window began, once; to be called before
 * it is taken for what is known. Null where nothing was expected, or nothing of what was told.
 */
export function verifyEnvironment(hook: Hook, reported: JsonObject): EventData["bootstrap.verified"] | null {
  const expected = hook.session.expectedEnvironment;
  if (expected === null) return null;
  const verdict = compareEnvironment(expected.environment, reported);
  if (verdict.checks === 0) return null;
  const verified = { checkpoint_id: expected.checkpointId, ...verdict };
  hook.emit("bootstrap.verified", verified);
  return verified;
}
