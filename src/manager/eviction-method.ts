import type { CompressionMethod, CompressionOutcome } from "../compression/index.ts";
import { type EvictionContext, type EvictionPlan, planEviction, type Scorer } from "../eviction/index.ts";
import { relativePrices } from "../tokens/index.ts";
import type { PassEdit } from "./edit.ts";
import type { Services } from "./hook.ts";

export interface PassConditions {
  /** False where the break-even gate may refuse. */
  readonly forced: boolean;
  /** The ledger is written anew with the pass. */
  readonly rewritesAll: boolean;
  /** Turns after which the pass would be made anyway; Infinity when it is not early. */
  readonly turnsEarly: number;
}

/** Eviction by a policy as a step of the cascade, for one pass. */
export class EvictionMethod implements CompressionMethod<PassEdit> {
  readonly name = "eviction";
  /** What was planned, with the gate's figures; null until the step has run. */
  plan: EvictionPlan | null = null;
  readonly #context: EvictionContext;
  readonly #scorer: Scorer;
  readonly #services: Services;
  readonly #conditions: PassConditions;

  constructor(context: EvictionContext, scorer: Scorer, services: Services, conditions: PassConditions) {
    this.#context = context;
    this.#scorer = scorer;
    this.#services = services;
    this.#conditions = conditions;
  }

  apply(_view: unknown, { tokensToFree }: { readonly tokensToFree: number }): CompressionOutcome<PassEdit> {
    const { settings, model } = this.#services;
    const { forced, rewritesAll, turnsEarly } = this.#conditions;
    this.plan = planEviction(this.#context, this.#scorer, {
      tokensToFree,
      prices: relativePrices(model.prices),
      expectedRemainingTurns: Math.min(settings.eviction.gate.expected_remaining_turns, turnsEarly),
      minTokensFreed: settings.eviction.min_tokens_freed,
      forced,
      rewritesAll,
    });
    const { edits, refused } = this.plan;
    if (edits.length === 0) return { kind: "not_applicable", reason: refused ?? "no_candidates" };
    return { kind: "applied", edits };
  }
}
