import type { Contender } from "../contender.ts";
import { dropBatch } from "./batch.ts";
import { playPlain } from "./plain-context.ts";

/** First in, first out, in batches: drops the oldest units down to 0.65 of the window. */
export const plainFifo: Contender = {
  name: "plain_fifo",
  play: (run, window) => playPlain(run, { manage: (context) => dropBatch(context, window, () => context.droppable) }),
};
