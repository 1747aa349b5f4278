import type { JsonObject } from "../../model/json.ts";
import type { Contender } from "../contender.ts";
import { BATCH_LOW, dropBatch } from "../peers/batch.ts";
import { type PlainContext, playPlain } from "../peers/plain-context.ts";
import { CLEARED, withResults } from "../peers/results.ts";
import { Future } from "./future.ts";
import { droppablePieces, leastNeeded, type Piece } from "./least-needed.ts";

/** Clears the tool results that will be needed least, in batches, and then units where that is too little. */
export const oracleResults: Contender = {
  name: "oracle_results",
  play(run, window) {
    const future = new Future(run);
    return playPlain(run, {
      manage(context) {
        if (context.tokens <= window) return;
        for (const { places, cleared } of leastNeeded(context, future, clearable(context))) {
          if (context.tokens <= BATCH_LOW * window) return;
          context.replace(places[0], cleared);
        }
        dropBatch(context, window, () => leastNeeded(context, future, droppablePieces(context)));
      },
    });
  },
};

interface Clearable extends Piece {
  readonly places: readonly [number];
  readonly cleared: JsonObject;
}

/** Messages before the step under way whose results have not been cleared. */
function clearable(context: PlainContext): Clearable[] {
  return context.droppable.flatMap(({ places }) =>
    places.flatMap((place): Clearable[] => {
      const cleared = withResults(context, place, ({ text }) => (text === CLEARED ? null : CLEARED));
      if (cleared === null) return [];
      const tokens = context.tokensOf({ places: [place] }) - context.weigh(cleared);
      return tokens > 0 ? [{ places: [place], tokens, cleared }] : [];
    }),
  );
}
