import { z } from "zod";
import type { Block } from "../../model/block.ts";
import { type Strategy, strategy } from "../../model/strategy.ts";
import type {
  CompressionDemand,
  CompressionEdit,
  CompressionMethod,
  CompressionOutcome,
  CompressionView,
  WantedText,
} from "../method.ts";
import { SHORTENINGS } from "../shorten.ts";
import { isSummarisable, summarised } from "./summarised.ts";

const NAME = "tool_result_summarization";

const options = z.strictObject({
  min_tokens: z.number().int().min(1).default(500).describe("Tool results of at most so many tokens are left alone."),
  keep_tokens: z.number().int().min(16).default(150).describe("No result is brought to fewer tokens than this."),
  share: z.number().gt(0).lt(1).default(0.25).describe("Share of its tokens that a result is brought to."),
  extractors: z
    .array(z.enum(SHORTENINGS))
    .min(1)
    .default([...SHORTENINGS])
    .describe("Ways to shorten a result, in the order tried: the first that is shorter and keeps its facts is taken."),
});

/**
 * Shortens large tool results by what they are, oldest first, until the demand is met. Each is summarised once: a
 * result that already is leaves only by other methods.
 */
class ToolResultSummarization implements CompressionMethod {
  readonly name = NAME;
  readonly #options: z.output<typeof options>;

  constructor(given: z.output<typeof options>) {
    this.#options = given;
  }

  apply(view: CompressionView, demand: CompressionDemand): CompressionOutcome {
    const blocks = view.units.flatMap((unit) => unit.blocks).filter((block) => this.#isLarge(block));
    if (blocks.length === 0) return { kind: "not_applicable", reason: "no_large_result" };
    const free = blocks.filter((block) => isFree(block, view));
    if (free.length === 0) return { kind: "not_applicable", reason: "results_protected_or_current" };
    const edits: CompressionEdit[] = [];
    let freed = 0;
    for (const block of free.sort((a, b) => a.turn - b.turn)) {
      if (freed >= demand.tokensToFree) break;
      const edit = this.#shortened(block, view);
      if (edit === null) continue;
      edits.push(edit);
      freed += edit.tokensBefore - edit.tokensAfter;
    }
    return edits.length === 0 ? { kind: "not_applicable", reason: "nothing_saved" } : { kind: "applied", edits };
  }

  textsWanted(view: Pick<CompressionView, "turn" | "units" | "planned" | "isProtected">): readonly WantedText[] {
    return view.units
      .flatMap((unit) => unit.blocks)
      .filter((block) => this.#isLarge(block) && isFree(block, view))
      .sort((a, b) => a.turn - b.turn)
      .map((block) => ({ block, limitTokens: this.#limitTokens(block) }));
  }

  #limitTokens({ tokens }: Block): number {
    return Math.max(this.#options.keep_tokens, Math.floor(this.#options.share * tokens));
  }

  #isLarge(block: Block): boolean {
    const { part, state, tokens } = block;
    const isWhole = state === "whole" || state === "truncated";
    return part.kind === "tool_result" && isWhole && tokens > this.#options.min_tokens && isSummarisable(block);
  }

  #shortened(block: Block, view: CompressionView): CompressionEdit | null {
    return summarised(block, view, {
      limitTokens: this.#limitTokens(block),
      ways: this.#options.extractors,
      rule: (by) => `${NAME}.${by}`,
    });
  }
}

function isFree(block: Block, view: Pick<CompressionView, "turn" | "planned" | "isProtected">): boolean {
  return block.turn < view.turn && !view.planned.has(block.id) && !view.isProtected(block);
}

/** See `ToolResultSummarization`. */
export const toolResultSummarization: Strategy<CompressionMethod> = strategy(
  "Shortens large tool results by their kind (JSON, logs, diffs, listings, test output), oldest first.",
  options,
  (given) => new ToolResultSummarization(given),
);
