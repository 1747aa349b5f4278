import { z } from "zod";
import type { Block } from "../../model/block.ts";
import { textOf } from "../../model/part.ts";
import { type Strategy, strategy } from "../../model/strategy.ts";
import { truncateHeadTail } from "../head-tail.ts";
import type {
  CompressionDemand,
  CompressionEdit,
  CompressionMethod,
  CompressionOutcome,
  CompressionView,
} from "../method.ts";

const options = z.strictObject({
  min_tokens: z.number().int().min(1).default(500).describe("Blocks of fewer tokens are left alone."),
  keep_tokens: z.number().int().min(1).default(200).describe("No block is cut to fewer tokens than this."),
});

/**
 * The last resort: cuts the largest texts to head and tail, all to one common size, no further than the demand
 * needs. Tool results and plain texts only: thinking is never edited, and calls and images have no tail.
 */
class HeadTailMethod implements CompressionMethod {
  readonly name = "head_tail";
  readonly #options: z.output<typeof options>;

  constructor(given: z.output<typeof options>) {
    this.#options = given;
  }

  apply(view: CompressionView, demand: CompressionDemand): CompressionOutcome {
    const { min_tokens, keep_tokens } = this.#options;
    const blocks = view.units.flatMap((unit) => unit.blocks).filter((block) => this.#isCandidate(block, view));
    if (blocks.length === 0) return { kind: "not_applicable", reason: "no_large_text" };
    const sizes = blocks.map((block) => block.tokens);
    const size = Math.max(keep_tokens, commonSize(sizes, demand.tokensToFree));
    const edits = blocks
      .filter((block) => block.tokens > Math.max(size, min_tokens))
      .flatMap((block) => cutTo(block, size, view) ?? []);
    return edits.length === 0 ? { kind: "not_applicable", reason: "nothing_saved" } : { kind: "applied", edits };
  }

  #isCandidate(block: Block, view: CompressionView): boolean {
    const { kind } = block.part;
    return (
      (kind === "tool_result" || kind === "text") &&
      block.state !== "cleared" &&
      block.state !== "merged" &&
      block.tokens > this.#options.min_tokens &&
      !view.planned.has(block.id) &&
      !view.isProtected(block)
    );
  }
}

/**
 * The size that the larger blocks must come down to, so that together they free `tokensToFree`: as when a level is
 * lowered over columns of unequal height. Below 0 when all of them together are not enough.
 */
function commonSize(sizes: readonly number[], tokensToFree: number): number {
  const falling = [...sizes].sort((a, b) => b - a);
  let sum = 0;
  for (const [index, size] of falling.entries()) {
    sum += size;
    const level = Math.floor((sum - tokensToFree) / (index + 1));
    const next = falling[index + 1];
    if (next === undefined || level >= next) return level;
  }
  return 0;
}

/** null when nothing would be saved. */
function cutTo(block: Block, size: number, view: CompressionView): CompressionEdit | null {
  const text = textOf(block.part);
  // What the block costs beside its text stays.
  const beside = Math.max(0, block.tokens - view.count(text));
  const { text: shorter, cut } = truncateHeadTail(text, {
    limitTokens: size - beside,
    count: (piece) => view.count(piece),
    handle: view.canRecall ? block.handle : null,
  });
  if (!cut || shorter === "") return null;
  const tokensAfter = view.tokensWith(block, shorter);
  if (tokensAfter >= block.tokens) return null;
  return {
    method: "truncate",
    blockIds: [block.id],
    tokensBefore: block.tokens,
    tokensAfter,
    replacementText: shorter,
    rule: "head_tail.largest",
  };
}

/** See `HeadTailMethod`. */
export const headTail: Strategy<CompressionMethod> = strategy(
  "Cuts the largest texts to their head and tail: the last resort.",
  options,
  (given) => new HeadTailMethod(given),
);
