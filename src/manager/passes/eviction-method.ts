import type { CompressionMethod, CompressionOutcome } from "../../compression/index.ts";
import { type EvictionContext, type EvictionPlan, planEviction, type Scorer } from "../../eviction/index.ts";
import type { Block } from "../../model/block.ts";
import type { Unit } from "../../model/unit.ts";
import { relativePrices } from "../../tokens/index.ts";
import type { Services } from "../hook.ts";
import type { PassEdit } from "./edit.ts";

export interface PassConditions {
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
  /** Blocks that hold what planned merges took out of others: they stay as they are. */
  readonly mergedInto = new Set<string>();
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

  apply(
    { planned }: { readonly planned: ReadonlyMap<string, PassEdit> },
    { tokensToFree }: { readonly tokensToFree: number },
  ): CompressionOutcome<PassEdit> {
    const { settings, model } = this.#services;
    const { rewritesAll, turnsEarly } = this.#conditions;
    const context = { ...this.#context, units: unitsAfter(this.#context.units, planned) };
    this.plan = planEviction(context, this.#scorer, {
      tokensToFree,
      prices: relativePrices(model.prices),
      expectedRemainingTurns: turnsExpected(settings, turnsEarly),
      minTokensFreed: settings.eviction.min_tokens_freed,
      // Whether the pass pays is asked of all its steps together.
      forced: true,
      rewritesAll,
    });
    const { edits, refused } = this.plan;
    for (const { intoBlockId } of edits) if (intoBlockId !== null) this.mergedInto.add(intoBlockId);
    if (edits.length === 0) return { kind: "not_applicable", reason: refused ?? "no_candidates" };
    if (planned.size === 0) return { kind: "applied", edits };
    return {
      kind: "applied",
      edits: edits.map((edit) => ({ ...edit, tokensBefore: edit.tokensBefore + savedIn(edit.blockIds, planned) })),
    };
  }
}

/** Turns for which what a pass frees is saved. */
export function turnsExpected({ eviction }: Services["settings"], turnsEarly: number): number {
  return Math.min(eviction.gate.expected_remaining_turns, turnsEarly);
}

/** The units as the steps before will leave them: those that go are not there, what is shortened is short. */
function unitsAfter(units: readonly Unit[], planned: ReadonlyMap<string, PassEdit>): readonly Unit[] {
  if (planned.size === 0) return units;
  return units
    .filter(({ blocks }) => !blocks.every(({ id }) => planned.get(id)?.method === "drop"))
    .map((unit) => {
      const saved = savedIn(
        unit.blocks.map(({ id }) => id),
        planned,
      );
      if (saved === 0) return unit;
      const blocks = unit.blocks.map((block) => asPlanned(block, planned));
      return { ...unit, blocks, tokens: unit.tokens - saved };
    });
}

/** A block as the step before leaves it. What is shortened no longer holds what a twin of it could be merged into. */
function asPlanned(block: Block, planned: ReadonlyMap<string, PassEdit>): Block {
  if (!planned.has(block.id)) return block;
  return { ...block, state: "summarized", tokens: block.tokens - savedIn([block.id], planned) };
}

/** Tokens that the steps before save in these blocks. */
function savedIn(blockIds: readonly string[], planned: ReadonlyMap<string, PassEdit>): number {
  return blockIds.reduce((sum, id) => {
    const edit = planned.get(id);
    return sum + (edit && edit.method !== "drop" ? edit.tokensBefore - edit.tokensAfter : 0);
  }, 0);
}
