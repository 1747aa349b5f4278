import type { Block } from "../../model/block.ts";
import { passageOf } from "../../model/passage.ts";
import type { CompressionEdit, CompressionView } from "../method.ts";
import { type Shortened, type Shortening, shorten } from "../shorten.ts";

/** How a block is to be made shorter. */
export interface Summarising {
  /** Tokens of the whole block afterwards, at most. */
  readonly limitTokens: number;
  /** Tokens above which a prepared text is too long; absent: any that is shorter will do. */
  readonly mostTokens?: number;
  /** Ways in the order in which they are tried. */
  readonly ways: readonly Shortening[];
  /** The rule of an edit, of what made the text. */
  rule(by: string): string;
}

/**
 * The edit that brings a block to its limit by the first text that is shorter and keeps its facts: a prepared one,
 * then each way in turn. null when there is none.
 */
export function summarised(block: Block, view: CompressionView, how: Summarising): CompressionEdit | null {
  const most = Math.min(block.tokens - 1, how.mostTokens ?? block.tokens);
  for (const { by, text } of textsOf(block, view, how)) {
    if (text === "") continue;
    const tokensAfter = view.tokensWith(block, text);
    if (tokensAfter > most || !(view.keepsFacts?.(block, text) ?? true)) continue;
    return {
      method: "summarize",
      blockIds: [block.id],
      tokensBefore: block.tokens,
      tokensAfter,
      replacementText: text,
      rule: how.rule(by),
    };
  }
  return null;
}

function* textsOf(block: Block, view: CompressionView, { limitTokens, ways }: Summarising): Generator<Shortened> {
  const prepared = view.preparedText?.(block) ?? null;
  if (prepared !== null) yield { by: "prepared", text: prepared };
  const passage = passageOf(block);
  // What the block costs beside its text stays.
  const beside = Math.max(0, block.tokens - view.count(passage.text));
  const options = {
    limitTokens: limitTokens - beside,
    count: (text: string) => view.count(text),
    handle: view.canRecall ? block.handle : null,
  };
  if (options.limitTokens <= 0) return;
  for (const way of ways) {
    const made = shorten(way, passage, options);
    if (made !== null) yield made;
  }
}

/** Texts that may be summarised: not what has attachments, which a text cannot stand for. */
export function isSummarisable({ part, type }: Block): boolean {
  if (part.kind === "tool_result") return part.attachments.length === 0;
  return part.kind === "text" && type === "assistant_response";
}
