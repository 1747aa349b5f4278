import { z } from "zod";
import { type Strategy, strategy } from "../../model/strategy.ts";
import type { Unit } from "../../model/unit.ts";
import type { CompressionEdit, CompressionMethod, CompressionOutcome, CompressionView } from "../method.ts";

const options = z.strictObject({
  keep_messages: z.number().int().min(1).default(5).describe("The latest messages stay, this many at least."),
  keep_share: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.2)
    .describe("The latest messages stay up to this share of the window, where that is more."),
});

/**
 * Drops every older unit in one go: what the summary of the pass then stands for. The recent units stay, the larger
 * of so many messages and a share of the window; and so does a unit of which any block is protected or any call has
 * no result yet. It does not stop at the demand: one deep fold costs less than many shallow ones, in the cached
 * prefix as in what a summary loses.
 */
class ConversationCompaction implements CompressionMethod {
  readonly name = "conversation_compaction";
  readonly #options: z.output<typeof options>;

  constructor(given: z.output<typeof options>) {
    this.#options = given;
  }

  apply(view: CompressionView): CompressionOutcome {
    const older = view.units.slice(0, this.#firstRecent(view));
    if (older.length === 0) return { kind: "not_applicable", reason: "no_older_units" };
    const free = older.filter(
      (unit) =>
        unit.pendingCalls.size === 0 && unit.blocks.length > 0 && !unit.blocks.some((block) => view.isProtected(block)),
    );
    if (free.length === 0) return { kind: "not_applicable", reason: "all_protected" };
    return { kind: "applied", edits: free.map(dropOf) };
  }

  /** Index of the first of the units that are recent. */
  #firstRecent({ units, windowTokens }: CompressionView): number {
    const { keep_messages, keep_share } = this.#options;
    let messages = 0;
    let tokens = 0;
    for (let index = units.length; index > 0; index--) {
      if (messages >= keep_messages && tokens >= keep_share * windowTokens) return index;
      const unit = units[index - 1] as Unit;
      messages += new Set(unit.blocks.map((block) => block.messageId)).size;
      tokens += tokensOf(unit);
    }
    return 0;
  }
}

/** Tokens of the unit as it stands. */
function tokensOf(unit: Unit): number {
  return unit.blocks.reduce((sum, block) => sum + block.tokens, 0);
}

function dropOf(unit: Unit): CompressionEdit {
  return {
    method: "drop",
    blockIds: unit.blocks.map((block) => block.id),
    tokensBefore: tokensOf(unit),
    tokensAfter: 0,
    replacementText: null,
    rule: "conversation_compaction.older",
  };
}

/** See `ConversationCompaction`. */
export const conversationCompaction: Strategy<CompressionMethod> = strategy(
  "Drops all older units at once; a summary stands for them.",
  options,
  (given) => new ConversationCompaction(given),
);
