/** Where the lines of one block stand among those of its entry. */
export interface PieceLines {
  readonly blockId: string;
  /** Place of its first line among the entry's. */
  readonly first: number;
  /** Lines of its text that are read up to the gap; behind it come those of its end. */
  readonly head: number;
  /** Lines in the gap between head and end, which were not read; 0: all were. */
  readonly gap: number;
  /** Its lines are those of its text, one by one; false of the leaves of a document and the values of a call. */
  readonly isPlain: boolean;
}

/** A line's place in the session. */
export interface Place {
  readonly blockId: string;
  /** Number of the line in the block's original text, from 1; null where it is no line of it (a leaf of JSON). */
  readonly line: number | null;
}

/** The block that the entry's line at `at` came with, and its number there. */
export function placeIn(pieces: readonly PieceLines[], at: number): Place | null {
  const piece = pieces.findLast(({ first }) => first <= at);
  if (!piece) return null;
  const { blockId, first, head, gap, isPlain } = piece;
  const own = at - first;
  return { blockId, line: isPlain ? own + (own < head ? 0 : gap) + 1 : null };
}
