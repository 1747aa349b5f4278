import type { BestOf, Contender } from "../contender.ts";
import { oracleLedger } from "./oracle-ledger.ts";
import { oracleResults } from "./oracle-results.ts";
import { oracleUnits } from "./oracle-units.ts";

/** Contenders that see the future of a run: a new one is one file and one line here. */
const oracles: readonly Contender[] = [oracleUnits, oracleResults, oracleLedger];

/** What no policy can pass: each oracle, and `oracle`, the best of them for each run: a lower estimate of the optimum. */
export const bounds: readonly (Contender | BestOf)[] = [...oracles, { name: "oracle", bestOf: oracles }];
