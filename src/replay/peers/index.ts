import type { Contender } from "../contender.ts";
import { clearAtHalf, clearAtWindow } from "./clear-results.ts";
import { headTailSliding } from "./head-tail.ts";
import { keepLast } from "./keep-last.ts";
import { plainFifo } from "./plain-fifo.ts";
import { plainLedger } from "./plain-ledger.ts";
import { plainLru } from "./plain-lru.ts";
import { plainNone } from "./plain-none.ts";
import { plainSliding } from "./plain-sliding.ts";
import { publishedHybrid } from "./published-hybrid.ts";

/** Plain policies that run without contextd, to compare with: a new one is one file and one line here. */
export const peers: readonly Contender[] = [
  plainSliding,
  plainFifo,
  plainLedger,
  plainLru,
  publishedHybrid,
  keepLast,
  clearAtWindow,
  clearAtHalf,
  headTailSliding,
  plainNone,
];
