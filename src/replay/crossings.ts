import { Recall } from "./measure.ts";
import type { Need } from "./needs.ts";
import type { PreparedRun } from "./prepared-run.ts";
import type { Reading } from "./readings.ts";

/** Turns behind a window's end whose needs are counted against its loss. */
export const TURNS_AFTER = 10;

/** What a context holds of what the run needs from its history in the next turns: of weight, as the recall of a replay. */
export class CrossingRecall {
  /** On whole lines of the run. */
  readonly line = new Recall();
  /** Anywhere. */
  readonly value = new Recall();
  /** Of values first seen in a tool result or a user message, on whole lines. */
  readonly grounded = new Recall();

  /** The context of that request (from 0), by the readings of its messages. */
  add(run: PreparedRun, request: number, readings: readonly Reading[]): void {
    const onLines = new Set(readings.flatMap((reading) => reading.onLines));
    const inText = new Set(readings.flatMap((reading) => reading.inText));
    for (const { index, weight, origin } of neededAfter(run, request)) {
      const isOnLine = onLines.has(index);
      this.line.add(weight, isOnLine);
      this.value.add(weight, isOnLine || inText.has(index));
      if (origin === "tool" || origin === "user") this.grounded.add(weight, isOnLine);
    }
  }
}

/**
 * What the answers to that request and to the next ones need of what stood in the history before it and was not shown
 * again since: each value once.
 */
export function neededAfter({ needs }: Pick<PreparedRun, "needs">, request: number): Need[] {
  const { turns, byTurn } = needs;
  const place = turns[request] ?? 0;
  const found = new Map<number, Need>();
  for (const turn of turns.slice(request, request + TURNS_AFTER)) {
    for (const need of byTurn.get(turn) ?? []) {
      if (need.lastHeldBy < place && !found.has(need.index)) found.set(need.index, need);
    }
  }
  return [...found.values()];
}
