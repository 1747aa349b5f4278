import { z } from "zod";
import { type Strategy, strategy } from "../../model/strategy.ts";
import type { CompressionMethod, CompressionOutcome } from "../method.ts";

/**
 * Edits nothing: as a step of the cascade it stands for the advice to hand a subtask to an agent with a window of its
 * own. See `largestSubtask`.
 */
class SubAgent implements CompressionMethod {
  readonly name = "sub_agent";

  apply(): CompressionOutcome {
    return { kind: "not_applicable", reason: "advice_only" };
  }
}

/** See `SubAgent`. */
export const subAgent: Strategy<CompressionMethod> = strategy(
  "Frees nothing itself: advises to delegate the largest independent subtask.",
  z.strictObject({}),
  () => new SubAgent(),
);
