import type { BlockType } from "../model/block.ts";

/** Turns after its departure in which a need for a content counts as regret. */
export const REGRET_TURNS = 10;

/** Departures remembered of one turn: bounds state and snapshot of a session that lets thousands of blocks go at once. */
export const DEPARTURES_A_TURN = 4_096;

/** A call with longer arguments writes something; it is not one that is made again to see its result again. */
export const LONGEST_ARGUMENTS = 2_048;

/** Content that an edit of a pass took out of the context. A block that is edited twice departs twice. */
export interface Departure {
  readonly blockId: string;
  readonly type: BlockType;
  readonly toolName: string | null;
  /** Content address of what stood in the block until then. */
  readonly hash: string;
  readonly turn: number;
  /** Who chose it: the eviction policy, or `cascade`. */
  readonly policy: string;
  readonly passId: string;
  /**
   * Of a tool result, the call that it answers: the same call made again is a re-read. null where there is none to
   * know again: the call is not known, it failed, or its arguments are over LONGEST_ARGUMENTS.
   */
  readonly call: { readonly id: string; readonly argumentsText: string } | null;
}

/** How a content that had left was needed again. */
export type RegretKind = "recall" | "identifier" | "reread";

/** One need for a content that had left. */
export interface Regret {
  readonly kind: RegretKind;
  /** Turn of the need. */
  readonly turn: number;
  readonly evictedTurn: number;
}

export function isRecent(departure: Departure, turn: number): boolean {
  return turn - departure.turn <= REGRET_TURNS;
}
