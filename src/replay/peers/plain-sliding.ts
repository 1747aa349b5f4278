import type { Contender } from "../contender.ts";
import { playPlain } from "./plain-context.ts";

/** A sliding window: drops the oldest units, just as many as it must. */
export const plainSliding: Contender = {
  name: "plain_sliding",
  play: (run, window) => playPlain(run, { manage: (context) => context.dropUntil(window) }),
};
