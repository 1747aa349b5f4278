import { createRequire } from "node:module";
import type rankData from "js-tiktoken/ranks/o200k_base";

export const ENCODINGS = ["o200k_base", "cl100k_base"] as const;
/** A public encoding whose rank data is at hand. */
export type EncodingName = (typeof ENCODINGS)[number];

/** js-tiktoken's rank data of an encoding: its pattern, special tokens, and the vocabulary packed in one string. */
export type RankData = typeof rankData;

/**
 * Loads an encoding's rank data: 2 MB for o200k_base, so only when a tokenizer is made. By `require`, since counting
 * is synchronous and an `import()` is not.
 */
export function loadRankData(encoding: EncodingName): RankData {
  return createRequire(import.meta.url)(`js-tiktoken/ranks/${encoding}`) as RankData;
}
