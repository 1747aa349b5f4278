import { z } from "zod";
import type { Block } from "../../model/block.ts";
import { type Strategy, strategy } from "../../model/strategy.ts";
import { leftOutMarker } from "../marker.ts";
import type {
  CompressionDemand,
  CompressionEdit,
  CompressionMethod,
  CompressionOutcome,
  CompressionView,
} from "../method.ts";
import { SHORTENINGS } from "../shorten.ts";
import { isSummarisable, summarised } from "./summarised.ts";

const NAME = "progressive";

const level = z.strictObject({
  turns: z.number().int().min(0).describe("Age in turns up to which the level holds."),
  share: z.number().gt(0).max(1).describe("Share of its original tokens that a text has at most."),
});

const options = z.strictObject({
  min_tokens: z
    .number()
    .int()
    .min(1)
    .default(120)
    .describe("Texts that came with at most so many tokens are left alone."),
  levels: z
    .array(level)
    .min(1)
    .default([
      { turns: 1, share: 1 },
      { turns: 5, share: 0.3 },
      { turns: 20, share: 0.05 },
    ])
    .refine(
      (levels) => levels.every((each, at) => at === 0 || isBelow(levels[at - 1], each)),
      "must have rising turns and falling shares",
    )
    .describe("Sizes by age, youngest first."),
  oldest_share: z
    .number()
    .gt(0)
    .lt(1)
    .default(0.01)
    .describe("Share of its original tokens that a text older than all levels has at most."),
});

type Level = z.output<typeof level>;

/** Tokens below which no line of a text says anything: one line tells what it was. */
const LEAST_EXTRACT = 48;
/** Tokens of that line: no text is brought below it. */
const SHORT_LINE = 40;
/** How far a text may stand above its level's size before it counts as above the level. */
const TOLERANCE = 1.25;

/**
 * Lets texts fade with age: tool results and the assistant's own, by the turns since they came, each to its level's
 * share of its original tokens. A block's level follows from its tokens, so only what crosses a level is touched, and
 * that is all of it or, where the demand is met before, the oldest of it.
 */
class Progressive implements CompressionMethod {
  readonly name = NAME;
  readonly #options: z.output<typeof options>;

  constructor(given: z.output<typeof options>) {
    this.#options = given;
  }

  apply(view: CompressionView, demand: CompressionDemand): CompressionOutcome {
    const blocks = view.units.flatMap((unit) => unit.blocks).filter((block) => this.#isLong(block));
    if (blocks.length === 0) return { kind: "not_applicable", reason: "no_long_text" };
    const free = blocks.filter((block) => !view.planned.has(block.id) && !view.isProtected(block));
    const due = free.filter((block) => block.tokens > TOLERANCE * this.#sizeOf(block, view.turn));
    if (due.length === 0) return { kind: "not_applicable", reason: "no_level_crossed" };
    const edits: CompressionEdit[] = [];
    let freed = 0;
    for (const block of due.sort((a, b) => a.turn - b.turn)) {
      if (freed >= demand.tokensToFree) break;
      const edit = this.#faded(block, view);
      if (edit === null) continue;
      edits.push(edit);
      freed += edit.tokensBefore - edit.tokensAfter;
    }
    return edits.length === 0 ? { kind: "not_applicable", reason: "nothing_saved" } : { kind: "applied", edits };
  }

  #isLong(block: Block): boolean {
    const isText = block.state !== "cleared" && block.state !== "merged" && isSummarisable(block);
    return isText && block.originalTokens > this.#options.min_tokens;
  }

  /** Tokens that a block of that age has at most. */
  #sizeOf(block: Block, turn: number): number {
    const share = this.#levelOf(turn - block.turn)?.share ?? this.#options.oldest_share;
    return Math.max(SHORT_LINE, Math.floor(share * block.originalTokens));
  }

  #levelOf(age: number): Level | undefined {
    return this.#options.levels.find(({ turns }) => age <= turns);
  }

  #faded(block: Block, view: CompressionView): CompressionEdit | null {
    const size = this.#sizeOf(block, view.turn);
    const turns = this.#levelOf(view.turn - block.turn)?.turns;
    const rule = `${NAME}.${turns === undefined ? "oldest" : `within_${turns}_turns`}`;
    const how = { limitTokens: size, mostTokens: Math.floor(TOLERANCE * size), ways: SHORTENINGS, rule: () => rule };
    const edit = size < LEAST_EXTRACT ? null : summarised(block, view, how);
    return edit ?? shortLine(block, view, rule);
  }
}

function isBelow(younger: Level | undefined, older: Level): boolean {
  return younger !== undefined && older.turns > younger.turns && older.share < younger.share;
}

/** One line in the place of the text: what it was, and how to get it back. */
function shortLine(block: Block, view: CompressionView, rule: string): CompressionEdit | null {
  const what = block.tool?.name ? `result of ${block.tool.name}` : "text";
  const detail = `${what.slice(0, 60)}, turn ${block.turn}`;
  const handle = view.canRecall ? block.handle : null;
  const text = leftOutMarker({ lines: 0, tokens: block.originalTokens, handle, detail });
  const tokensAfter = view.tokensWith(block, text);
  if (tokensAfter >= block.tokens || !(view.keepsFacts?.(block, text) ?? true)) return null;
  return {
    method: "summarize",
    blockIds: [block.id],
    tokensBefore: block.tokens,
    tokensAfter,
    replacementText: text,
    rule,
  };
}

/** See `Progressive`. */
export const progressive: Strategy<CompressionMethod> = strategy(
  "Lets tool results and long answers fade with age, to a share of their original tokens.",
  options,
  (given) => new Progressive(given),
);
