import type { CompressionMethod, CompressionOutcome } from "../compression/index.ts";
import { type EvictionContext, type EvictionPlan, planEviction } from "../eviction/index.ts";
import { relativePrices } from "../tokens/index.ts";
import type { PassEdit } from "./edit.ts";
import type { Services } from "./hook.ts";

/** Eviction by the policy in force as a step of the cascade, for one pass. */
export class EvictionMethod implements CompressionMethod<PassEdit> {
  readonly name = "eviction";
  /** What was planned, with the gate's figures; null until the step has run. */
  plan: EvictionPlan | null = null;
  readonly #context: EvictionContext;
  readonly #services: Services;
  readonly #forced: boolean;

  constructor(context: EvictionContext, services: Services, forced: boolean) {
    this.#context = context;
    this.#services = services;
    this.#forced = forced;
  }

  apply(_view: unknown, { tokensToFree }: { readonly tokensToFree: number }): CompressionOutcome<PassEdit> {
    const { settings, model, scorer } = this.#services;
    this.plan = planEviction(this.#context, scorer, {
      tokensToFree,
      prices: relativePrices(model.prices),
      expectedRemainingTurns: settings.eviction.gate.expected_remaining_turns,
      minTokensFreed: settings.eviction.min_tokens_freed,
      forced: this.#forced,
    });
    const { edits, refused } = this.plan;
    if (edits.length === 0) return { kind: "not_applicable", reason: refused ?? "no_candidates" };
    return { kind: "applied", edits };
  }
}
