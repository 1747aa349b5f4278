import type { ProtectionLevel } from "../../eviction/index.ts";
import { targetTokens } from "../../pressure/index.ts";
import type { Refusal } from "../../window/overflow/index.ts";
import type { Hook } from "../hook.ts";
import { compact } from "../manage.ts";
import { currentTokens, limitsOf } from "../measure.ts";
import type { Checkpoint } from "../session.ts";
import { changeWindow, leavesAnything } from "../windows/change-window.ts";

/** A step of the ladder: it tries to free, and answers the checkpoint of the window it opened, if it opened one. */
interface Rung {
  readonly action: "retry" | "cross_window_save";
  /**
   * What the context must come down to, as a share of what it was when the provider refused it: by how much that was too
   * much may be unknown.
   */
  readonly shareOfRefused: number;
  climb(hook: Hook, goal: Goal): Checkpoint | null;
}

interface Goal {
  /** Tokens to come down to. */
  readonly target: number;
  /** Tokens at which the prompt is expected to be taken. */
  readonly enough: number;
  /** Whether the provider told both figures, so that it is known what is enough. */
  readonly isKnown: boolean;
}

const RUNGS: readonly Rung[] = [
  { action: "retry", shareOfRefused: 0.7, climb: (hook, goal) => evict(hook, goal, "normal") },
  { action: "retry", shareOfRefused: 0.4, climb: (hook, goal) => evict(hook, goal, "aggressive") },
  {
    action: "cross_window_save",
    shareOfRefused: 0.4,
    climb: (hook) => (leavesAnything(hook) ? changeWindow(hook, "overflow", { least: "aggressive" }) : null),
  },
];

/** What the ladder came to; null: nothing could be freed any more. */
export interface Climbed {
  readonly action: Rung["action"];
  /** Tokens before, and after. */
  readonly before: number;
  readonly after: number;
  readonly checkpoint: Checkpoint | null;
}

/**
 * Makes the context smaller after the `attempt`th refusal of a turn, from that rung of the ladder on: eviction to the
 * target, then of all but the newest steps, then a new window. A rung that frees nothing, or by the provider's own figures
 * not enough, goes on to the next.
 */
export function climb(hook: Hook, attempt: number, refusal: Refusal): Climbed | null {
  const before = tokensNow(hook);
  let climbed: Climbed | null = null;
  for (const rung of RUNGS.slice(attempt - 1)) {
    const reached = tokensNow(hook);
    const goal = goalOf(hook, rung, before, refusal);
    const checkpoint = rung.climb(hook, goal);
    const after = tokensNow(hook);
    if (after >= reached && checkpoint === null) continue;
    climbed = { action: rung.action, before, after, checkpoint };
    if (!goal.isKnown || after <= goal.enough) break;
  }
  return climbed;
}

/** By the provider's figures where it told them, and never above the share of what it refused. */
function goalOf({ session, services }: Hook, rung: Rung, before: number, refusal: Refusal): Goal {
  const { reserve, thresholds } = limitsOf(session, services);
  const { kind, limit, inputTokens, outputTokens } = refusal;
  // A limit of the account binds this request; it is none of the window.
  const most = kind === "tokens_per_minute" && limit !== null ? Math.min(limit, session.maxTokens) : session.maxTokens;
  const fitting = Math.max(0, most - Math.max(reserve, outputTokens ?? 0));
  const share = Math.floor(before * rung.shareOfRefused);
  const target = targetTokens(services.settings.eviction.target_utilization, thresholds, most);
  const isKnown = limit !== null && inputTokens !== null;
  return { target: Math.min(target, share), enough: isKnown ? fitting : Math.min(fitting, share), isKnown };
}

function evict(hook: Hook, { target, enough }: Goal, least: ProtectionLevel): null {
  compact(hook, "overflow", { target, enough, red: 1 }, least);
  return null;
}

function tokensNow({ session, services }: Hook): number {
  return currentTokens(session, services).tokens;
}
