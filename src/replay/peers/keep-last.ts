import type { Contender } from "../contender.ts";
import { playPlain } from "./plain-context.ts";

/** Units that are kept. */
const KEPT = 10;

/**
 * Keeps the last ten units at every turn, whatever the window, and fewer where they do not fit: how frameworks trim
 * their lists by number.
 */
export const keepLast: Contender = {
  name: "keep_last_10",
  play: (run, window) =>
    playPlain(run, {
      manage(context) {
        for (const unit of context.droppable.slice(0, -(KEPT - 1))) context.drop(unit);
        context.dropUntil(window);
      },
    }),
};
