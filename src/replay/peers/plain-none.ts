import type { Contender } from "../contender.ts";
import { playPlain } from "./plain-context.ts";

/** No management: the whole conversation each time, as if there were no window. The bound that costs are told by. */
export const plainNone: Contender = {
  name: "plain_none",
  play: (run) => playPlain(run, { manage: () => {} }),
};
