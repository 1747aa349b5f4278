import { BytePairTokenizer } from "./byte-pair-tokenizer.ts";
import { CharacterTokenizer } from "./character-tokenizer.ts";
import { cl100kPieceEnd } from "./cl100k-split.ts";
import { LibraryTokenizer } from "./library-tokenizer.ts";
import { o200kPieceEnd } from "./o200k-split.ts";
import { loadRankData } from "./ranks.ts";
import type { TokenizerFactory } from "./tokenizer.ts";

/** Every tokenizer by name: an encoding's name, or `<library>:<encoding>` for another implementation of it. */
export const tokenizers: Readonly<Record<string, TokenizerFactory>> = {
  o200k_base: () => new BytePairTokenizer("o200k_base", loadRankData("o200k_base").bpe_ranks, o200kPieceEnd),
  cl100k_base: () => new BytePairTokenizer("cl100k_base", loadRankData("cl100k_base").bpe_ranks, cl100kPieceEnd),
  "js-tiktoken:o200k_base": () => new LibraryTokenizer("js-tiktoken:o200k_base", "o200k_base"),
  "js-tiktoken:cl100k_base": () => new LibraryTokenizer("js-tiktoken:cl100k_base", "cl100k_base"),
  chars: () => new CharacterTokenizer(),
};
