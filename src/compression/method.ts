import type { Block } from "../model/block.ts";
import type { EditMethod } from "../model/events.ts";
import type { Unit } from "../model/unit.ts";

/** One edit that a method plans, as data. Nothing is changed before the whole pass is decided. */
export interface CompressionEdit {
  readonly method: EditMethod;
  /** The edited block; several when they leave together. */
  readonly blockIds: readonly string[];
  /** Tokens of these blocks as they stand in the context, and after the edit. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** What stands there then; null when nothing does. */
  readonly replacementText: string | null;
  /** Why, in words fit for a metric label: `method.reason`. */
  readonly rule: string;
}

/** What a method sees of the context. It changes nothing of it. */
export interface CompressionView<Edit extends CompressionEdit = CompressionEdit> {
  readonly turn: number;
  /** The window, tokens. */
  readonly windowTokens: number;
  /** Live units in the order of the context. */
  readonly units: readonly Unit[];
  /** Edits of the steps before, by block. An edit of such a block replaces theirs: see `runCascade`. */
  readonly planned: ReadonlyMap<string, Edit>;
  /** True when the agent can give a handle back: only then is one written into a text. */
  readonly canRecall: boolean;
  isProtected(block: Block): boolean;
  /** Tokens of a text. */
  count(text: string): number;
  /** Tokens of the block if its text were this. */
  tokensWith(block: Block, text: string): number;
  /** Whether the text keeps enough of the block's facts; absent: nobody looks. What does not is not planned. */
  keepsFacts?(block: Block, text: string): boolean;
  /** A text that was made for the block beforehand, and is tried before any other; null: there is none. */
  preparedText?(block: Block): string | null;
}

export interface CompressionDemand {
  /** What is still to be freed, above 0. More may be freed, not much more. */
  readonly tokensToFree: number;
}

/** `not_applicable` is no failure: there was nothing for this method to do, and the next one is tried. */
export type CompressionOutcome<Edit extends CompressionEdit = CompressionEdit> =
  | { readonly kind: "applied"; readonly edits: readonly Edit[] }
  | { readonly kind: "not_applicable"; readonly reason: string };

/** A block for which a text made beforehand would be of use. */
export interface WantedText {
  readonly block: Block;
  /** Tokens that the text is to take at most. */
  readonly limitTokens: number;
}

/** A way to make the context shorter: one step of the cascade. Synchronous, and the same for the same view. */
export interface CompressionMethod<Edit extends CompressionEdit = CompressionEdit> {
  readonly name: string;
  apply(view: CompressionView<Edit>, demand: CompressionDemand): CompressionOutcome<Edit>;
  /** Blocks that it would shorten, in its order, with a prepared text where there is one; absent: it looks for none. */
  textsWanted?(view: Pick<CompressionView<Edit>, "turn" | "units" | "planned" | "isProtected">): readonly WantedText[];
}
