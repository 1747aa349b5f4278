import { promptTokens, type ReportedUsage } from "../../tokens/index.ts";
import { stopReason } from "../../window/overflow/index.ts";
import type { Hook } from "../hook.ts";
import { tellOverflow } from "../tell-health.ts";
import { learn } from "./learn.ts";

/**
 * Tells that an answer was cut because the window was full, and learns how large the window is where the provider says no
 * less than that: what prompt and answer took together.
 */
export function tellAnswerCut(hook: Hook, reason: string | null, usage: ReportedUsage | null): void {
  const { session } = hook;
  const prompt = usage && promptTokens(session.format, usage);
  const output = usage?.output_tokens ?? null;
  const figures = { promptTokens: prompt, outputTokens: output };
  if (stopReason(reason, { ...figures, windowTokens: session.maxTokens }) !== "context_full") return;
  // A name that means the output limit too says nothing of a window that was not known.
  const isPlain = stopReason(reason, { ...figures, windowTokens: 0 }) === "context_full";
  const limit = isPlain && prompt !== null && output !== null && output > 0 ? prompt + output : null;
  hook.emit("overflow.reported", {
    attempt: 0,
    source: "stop_reason",
    provider: "unknown",
    kind: "context_length",
    rule: "stop_reason",
    reported_tokens: null,
    reported_limit: limit,
    estimated_tokens: null,
  });
  tellOverflow(hook, 0);
  learn(hook, { kind: "context_length", limit, inputTokens: null });
}
