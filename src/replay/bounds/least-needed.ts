import type { PlainContext } from "../peers/plain-context.ts";
import type { PlainUnit } from "../peers/units.ts";
import type { Future } from "./future.ts";

/** Something that can leave the context: its messages hold values, and its going frees tokens. */
export interface Piece {
  readonly places: readonly number[];
  readonly tokens: number;
}

/**
 * Pieces in the order in which they are needed least, a greedy form of Belady's rule for pieces of unequal size: each
 * time the one whose going costs the least needed weight per token, counting a value only where no other message that
 * stands holds it. A need counts less the farther off it is: its piece may have to go before. Of equals the oldest.
 */
export function* leastNeeded<P extends Piece>(
  context: PlainContext,
  future: Future,
  pieces: readonly P[],
): Generator<P> {
  const needs = future.needsFrom(context.turn);
  const holders = countValues(context, context.places);
  const left = pieces.map((piece) => ({ piece, values: countValues(context, piece.places) }));
  const density = ({ piece, values }: (typeof left)[number]) => {
    let loss = 0;
    for (const [value, count] of values) {
      const need = needs.get(value);
      if (need !== undefined && holders.get(value) === count)
        loss += need.weight / Math.sqrt(1 + need.turn - context.turn);
    }
    return loss / Math.max(1, piece.tokens);
  };
  while (left.length > 0) {
    const densities = left.map(density);
    const [next] = left.splice(densities.indexOf(Math.min(...densities)), 1);
    if (next === undefined) return;
    for (const [value, count] of next.values) holders.set(value, (holders.get(value) ?? 0) - count);
    yield next.piece;
  }
}

/** The units that may be dropped, as pieces. */
export function droppablePieces(context: PlainContext): (PlainUnit & Piece)[] {
  return context.droppable.map((unit) => ({ ...unit, tokens: context.tokensOf(unit) }));
}

/** How many of the messages hold each needed value. */
function countValues(context: PlainContext, places: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const place of places) {
    for (const value of context.valuesAt(place)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}
