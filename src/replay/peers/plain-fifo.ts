import type { Contender } from "../contender.ts";
import { dropOldestUnits } from "./oldest-units.ts";

/** Share of the window that a batch goes down to. */
const LOW = 0.65;

/** First in, first out, in batches: drops the oldest units down to 0.65 of the window. */
export const plainFifo: Contender = {
  name: "plain_fifo",
  play: (run, window) => dropOldestUnits(run, window, LOW),
};
