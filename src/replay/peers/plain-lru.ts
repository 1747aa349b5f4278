import type { Contender } from "../contender.ts";
import { dropBatch } from "./batch.ts";
import { playPlain } from "./plain-context.ts";
import type { PlainUnit } from "./units.ts";
import { Uses } from "./uses.ts";

/** Least recently used: in batches, first the units that no assistant message has referred to for longest. */
export const plainLru: Contender = {
  name: "plain_lru",
  play(run, window) {
    const uses = new Uses();
    const lastUse = ({ places }: PlainUnit) =>
      Math.max(...places.map((place) => uses.of(place).last ?? uses.of(place).arrived));
    return playPlain(run, {
      arrived: (context, place) => uses.arrived(context, place),
      manage: (context) => dropBatch(context, window, () => context.droppable.sort((a, b) => lastUse(a) - lastUse(b))),
    });
  },
};
