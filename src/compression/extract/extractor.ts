import type { Passage } from "../../model/passage.ts";
import type { Count } from "../within-tokens.ts";

export interface ExtractOptions {
  /** Tokens of the extract at most, its markers included. */
  readonly limitTokens: number;
  readonly count: Count;
  /** What the agent can get the original back by; null: no marker names one. */
  readonly handle: string | null;
}

/**
 * Shortens texts of one kind to what matters in them. Deterministic, and in time near linear in the text.
 *
 * An extract holds whole lines of the text, verbatim and in their order, and counted markers for what is missing; of
 * a JSON document the lines are its leaves, as `path.key: value`.
 */
export interface Extractor {
  readonly name: string;
  /** Whether the text is of this kind, by its content, its tool and the call's arguments. Looks at a sample. */
  recognises(passage: Passage): boolean;
  /**
   * The extract, at most `limitTokens`; null when none is worth having: the text fits as it is, or its lines are too
   * long for the limit.
   */
  extract(text: string, options: ExtractOptions): string | null;
}
