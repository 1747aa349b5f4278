import type { Contender } from "../contender.ts";
import { dropBatch } from "../peers/batch.ts";
import { playPlain } from "../peers/plain-context.ts";
import { Future } from "./future.ts";
import { droppablePieces, leastNeeded } from "./least-needed.ts";

/** Drops the units that will be needed least, in batches. */
export const oracleUnits: Contender = {
  name: "oracle_units",
  play(run, window) {
    const future = new Future(run);
    return playPlain(run, {
      manage: (context) => dropBatch(context, window, () => leastNeeded(context, future, droppablePieces(context))),
    });
  },
};
