import type { SectionName } from "../sections.ts";
import type { Call } from "./call.ts";

/** A sentence, a list item or a heading of what the agent said or thought. */
export interface Sentence {
  readonly text: string;
  readonly kind: "sentence" | "item" | "heading" | "open_box" | "ticked_box";
  /** The sentence is the first of its message. */
  readonly opens: boolean;
}

export interface CallResult {
  /** null when the call is not known. */
  readonly call: Call | null;
  readonly text: string;
  /** The runtime said so, the exit code is not 0, or the text begins as an error does. */
  readonly failed: boolean;
  /** The runtime said so. */
  readonly isError: boolean;
}

/** Facts for the sections of a summary. */
export type FoundFacts = Partial<Record<SectionName, readonly string[]>>;

/**
 * Looks for one kind of fact in what is read to it once, in the order of the context. Work and memory are bounded by
 * the length of what is read.
 */
export interface FactFinder {
  sentence?(sentence: Sentence): void;
  call?(call: Call): void;
  result?(result: CallResult): void;
  /** A message of the user. */
  user?(text: string): void;
  facts(): FoundFacts;
}
