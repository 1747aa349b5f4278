import type { Contender } from "../contender.ts";
import { plainFifo } from "./plain-fifo.ts";
import { plainLedger } from "./plain-ledger.ts";
import { plainSliding } from "./plain-sliding.ts";

/** Plain policies that run without contextd, to compare with: a new one is one file and one line here. */
export const peers: readonly Contender[] = [plainSliding, plainFifo, plainLedger];
