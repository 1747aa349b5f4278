import type { JsonObject } from "../../model/json.ts";
import type { Contender } from "../contender.ts";
import { type PlainContext, playPlain } from "./plain-context.ts";
import { CLEARED, resultsAt, withResults } from "./results.ts";

/** The newest results, which are never cleared. */
const KEPT = 3;
/** An edit that would free less than this share of the window is not made. */
const LEAST_FREED = 0.1;

/**
 * Clears tool results as providers' context editing does: at the trigger, all but the newest three become a
 * placeholder, their calls stay; an edit frees a tenth of the window at least, or is not made. What still does not fit
 * slides, so that all policies are compared at the same size.
 */
function clearResults(name: string, trigger: number): Contender {
  return {
    name,
    play: (run, window) =>
      playPlain(run, {
        manage(context) {
          if (context.tokens > trigger * window) clearOldResults(context, LEAST_FREED * window);
          context.dropUntil(window);
        },
      }),
  };
}

/** Results are cleared when the window is full. */
export const clearAtWindow = clearResults("clear_results", 1);
/** Results are cleared when half of the window is full. */
export const clearAtHalf = clearResults("clear_results_half", 0.5);

function clearOldResults(context: PlainContext, leastFreed: number): void {
  const results = context.places.flatMap((place) => resultsAt(context, place));
  const old = new Set(results.slice(0, -KEPT).map(({ place, part }) => `${place} ${part}`));
  const cleared: { readonly place: number; readonly message: JsonObject }[] = [];
  let freed = 0;
  for (const place of new Set(results.map((result) => result.place))) {
    const message = withResults(context, place, ({ text }, part) =>
      old.has(`${place} ${part}`) && text !== CLEARED ? CLEARED : null,
    );
    if (message === null) continue;
    freed += context.weigh(context.messageAt(place) as JsonObject) - context.weigh(message);
    cleared.push({ place, message });
  }
  if (freed < leastFreed) return;
  for (const { place, message } of cleared) context.replace(place, message);
}
