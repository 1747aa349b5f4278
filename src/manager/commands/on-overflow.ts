import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import { classifyRefusal, type Refusal } from "../../window/overflow/index.ts";
import { takeHistory } from "../history.ts";
import type { Hook } from "../hook.ts";
import { estimatedPrompt, measure } from "../measure.ts";
import { climb } from "../overflow/ladder.ts";
import { learn } from "../overflow/learn.ts";
import { floorOf } from "../passes/planned-floor.ts";
import { messageIds, render } from "../reply.ts";
import { saveCheckpoint } from "../windows/checkpoint.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { command, floorResult, json, mutating, readingResult, wireMessage } from "./command.ts";

/** Refusals of a turn that are answered with a smaller context: two retries, and a new window. */
const MOST_ATTEMPTS = 3;
/** What a smaller prompt does not cure. */
const NO_OVERFLOW: ReadonlySet<Refusal["kind"]> = new Set(["output_length", "other"]);

export const onOverflow = command({
  name: "on_overflow",
  summary: "The provider refused the context as too long: learns from what it said, and hands back one that fits.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    provider_error: json
      .optional()
      .describe("The provider's error, as it came: its text, body or the client's error. What it says is not kept."),
    history: z.array(wireMessage).max(100_000).optional(),
  }),
  result: z.object({
    action: z
      .enum(["retry", "cross_window_save", "give_up"])
      .describe("`retry`, `cross_window_save`: send the messages; the latter stand in a new window."),
    reason: z
      .enum(["floor", "attempts", "not_an_overflow"])
      .nullable()
      .describe(
        "Why it is given up: nothing more can be freed, this turn was refused too often, or the error is another one.",
      ),
    attempt: z.number(),
    learned: z.object({
      tokens: z.number().nullable().describe("The prompt's size by the provider."),
      limit: z.number().nullable().describe("The limit it named: the window's for `context_length`."),
      provider: z.string().describe("Whose words they are; `unknown`."),
      kind: z.string().describe("What they say, as `context_length` or `unknown`."),
    }),
    window_id: z.string(),
    revision: z.number(),
    reading: readingResult,
    checkpoint: checkpointResult.nullable().describe("What the new window was opened from; null: the window stays."),
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
    const refusal = classifyRefusal(params.provider_error);
    const { inputTokens: tokens, limit, provider, kind } = refusal;
    const isOverflow = !NO_OVERFLOW.has(kind);
    const attempt = session.overflowAttempts + (isOverflow ? 1 : 0);
    if (isOverflow) report(hook, refusal, attempt);
    const climbed = isOverflow && attempt <= MOST_ATTEMPTS ? climb(hook, attempt, refusal) : null;
    const { reading } = measure(hook, "edit");
    const answer = { attempt, learned: { tokens, limit, provider, kind }, revision: 0, reading };
    if (climbed === null) {
      const given = { ...answer, action: "give_up" as const, window_id: session.windowId, checkpoint: null };
      return isOverflow ? { ...given, ...giveUp(hook, attempt) } : { ...given, reason: "not_an_overflow" as const };
    }
    const { action, checkpoint, before } = climbed;
    hook.emit("overflow.recovered", { attempt, action, tokens_before: before, tokens_after: reading.tokens });
    return {
      ...answer,
      action,
      reason: null,
      window_id: session.windowId,
      checkpoint: checkpoint && reportCheckpoint(checkpoint),
    };
  },
  complete({ session, services }, _params, stored) {
    const reply = { ...stored, revision: session.revision };
    if (stored.action === "give_up") return reply;
    return { ...reply, message_ids: messageIds(session, services), ...render(session, services) };
  },
});

/** Tells that nothing more is done about it, and what cannot be freed. */
function giveUp(hook: Hook, attempt: number) {
  const { figures: floor } = floorOf(hook);
  const reason = attempt > MOST_ATTEMPTS ? ("attempts" as const) : ("floor" as const);
  const { floor_tokens, max_tokens } = floor;
  hook.emit("overflow.given_up", { attempt, reason, floor_tokens, max_tokens });
  return { reason, floor };
}

/** Tells the overflow, saves what is known before anything of it goes, and learns. */
function report(hook: Hook, refusal: Refusal, attempt: number): void {
  const { provider, kind, rule, inputTokens, limit } = refusal;
  hook.emit("overflow.reported", {
    attempt,
    source: "provider_error",
    provider,
    kind,
    rule,
    reported_tokens: inputTokens,
    reported_limit: limit,
    estimated_tokens: estimatedPrompt(hook.session),
  });
  saveCheckpoint(hook, "overflow");
  learn(hook, refusal);
  measure(hook, "edit");
}
