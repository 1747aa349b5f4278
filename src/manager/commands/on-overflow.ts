import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { promptOverhead } from "../../tokens/index.ts";
import { takeHistory } from "../history.ts";
import type { Hook } from "../hook.ts";
import { compact } from "../manage.ts";
import { measure } from "../measure.ts";
import { floorOf } from "../passes/planned-floor.ts";
import { messageIds, render } from "../reply.ts";
import { command, floorResult, json, mutating, readingResult, wireMessage } from "./command.ts";

/**
 * What the context must come down to at each retry of a turn, as a share of what it was when the provider refused
 * it: the estimate was wrong by an unknown amount, so the goal is relative. After them the floor is explained.
 */
const SHARE_OF_REFUSED = [0.7, 0.4] as const;

/** Frees whatever it takes; answers the tokens freed. */
function evictBelow(hook: Hook, tokens: number): number {
  return compact(hook, "overflow", { target: tokens, enough: tokens, red: 1 });
}

export const onOverflow = command({
  name: "on_overflow",
  summary: "The provider refused the context as too long: evicts hard and hands back a smaller one.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    provider_error: json
      .optional()
      .describe("The provider's error, as it came. Its size is noted, its text is not kept."),
    history: z.array(wireMessage).max(100_000).optional(),
  }),
  result: z.object({
    action: z.enum(["retry", "cross_window_save", "give_up"]),
    attempt: z.number(),
    learned: z.object({ tokens: z.number().nullable(), limit: z.number().nullable() }),
    window_id: z.string(),
    revision: z.number(),
    reading: readingResult,
    floor: floorResult.optional(),
    message_ids: z.array(z.string()).optional(),
    system: json.optional(),
    messages: z.array(wireMessage).optional(),
  }),
  arrivals: (params, _session, format) =>
    (params.history ?? []).map((message, index) => ({
      split: format.split(message, `history[${index}]`),
      path: `history[${index}]`,
    })),
  decide(hook, params, { arrivals }) {
    const { session } = hook;
    if (session.turn === 0) {
      throw new ContextdError("invalid_params", "No turn has been started: on_overflow answers a refused model call.");
    }
    if (params.history) takeHistory(hook, arrivals);
    const attempt = session.overflowAttempts + 1;
    const estimated = session.rawTokens + promptOverhead(session.format, session.tools.length > 0);
    hook.emit("overflow.reported", {
      attempt,
      reported_tokens: null,
      reported_limit: null,
      estimated_tokens: estimated,
    });
    const before = measure(hook, "edit").reading.tokens;
    const learned = { tokens: null, limit: null };
    const answer = { attempt, learned, window_id: session.windowId, revision: 0 };
    const share = SHARE_OF_REFUSED[attempt - 1];
    const freed = share === undefined ? 0 : evictBelow(hook, Math.floor(before * share));
    const { reading } = measure(hook, "edit");
    if (freed === 0) return { ...answer, action: "give_up" as const, reading, floor: floorOf(hook).figures };
    hook.emit("overflow.recovered", { attempt, tokens_before: before, tokens_after: reading.tokens });
    return { ...answer, action: "retry" as const, reading };
  },
  complete({ session, services }, _params, stored) {
    const reply = { ...stored, revision: session.revision };
    if (stored.action === "give_up") return reply;
    return { ...reply, message_ids: messageIds(session, services), ...render(session, services) };
  },
});
