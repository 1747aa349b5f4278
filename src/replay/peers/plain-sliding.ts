import type { Contender } from "../contender.ts";
import { dropOldestUnits } from "./oldest-units.ts";

/** A sliding window: drops the oldest units, just as many as it must. */
export const plainSliding: Contender = {
  name: "plain_sliding",
  play: (run, window) => dropOldestUnits(run, window, 1),
};
