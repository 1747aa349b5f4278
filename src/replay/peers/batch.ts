import type { PlainContext } from "./plain-context.ts";
import type { PlainUnit } from "./units.ts";

/** Share of the window that a batch goes down to. */
export const BATCH_LOW = 0.65;

/** When the context exceeds the window, drops units in the order that is asked for then, down to 0.65 of it. */
export function dropBatch(context: PlainContext, window: number, order: () => Iterable<PlainUnit>): void {
  if (context.tokens > window) context.dropUntil(BATCH_LOW * window, order());
}
