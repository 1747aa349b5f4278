import type { Passage } from "../model/passage.ts";
import { type ExtractOptions, extractors, recognise } from "./extract/index.ts";
import { truncateHeadTail } from "./head-tail.ts";

/**
 * Ways to make a text shorter: `structured` by its kind (JSON, log, diff, …), `extractive` by what its lines say,
 * `head_tail` by cutting its middle out.
 */
export const SHORTENINGS = ["structured", "extractive", "head_tail"] as const;
export type Shortening = (typeof SHORTENINGS)[number];

export interface Shortened {
  /** What made it: an extractor's name, or `head_tail`. */
  readonly by: string;
  readonly text: string;
}

/** The passage within so many tokens; null when that way does not apply to it. */
export function shorten(way: Shortening, passage: Passage, options: ExtractOptions): Shortened | null {
  if (way === "head_tail") {
    const { text, cut } = truncateHeadTail(passage.text, options);
    return cut && text !== "" ? { by: way, text } : null;
  }
  const extractor = way === "structured" ? recognise(passage) : extractors.plain;
  const text = extractor?.extract(passage.text, options) ?? null;
  return extractor && text !== null ? { by: extractor.name, text } : null;
}
