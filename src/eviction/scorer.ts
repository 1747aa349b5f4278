import type { Block } from "../model/block.ts";

export interface Score {
  /** 0: out first … 1: keep. */
  readonly score: number;
  /** What the score is made of. Our own scorers' parts sum to the score; a part that lowers it is negative. */
  readonly parts: Readonly<Record<string, number>>;
  /** Short stable name of what decided, such as `fifo.age`: fit for a label, free of figures. */
  readonly rule: string;
}

export interface Similarity {
  /** Cosine, 0 to 1. */
  readonly score: number;
  readonly newerBlockId: string;
}

export interface Superseded {
  readonly byBlockId: string;
  readonly rule: "newer_result" | "later_write";
}

/** What a scorer may look at. The same for every block of a pass. */
export interface ScoringView {
  /** The current turn. */
  readonly turn: number;
  readonly windowTokens: number;
  readonly unitCount: number;
  /** How many units stand behind this one: 0 for the newest. */
  unitRank(unitId: number): number;
  text(block: Block): string;
  /** Goal, criteria and constraints as the agent stated them; empty when it did not. */
  readonly taskText: string;
  /** Likeness of the block to the task, 0 to 1. */
  relevance(blockId: string): number;
  /** The most similar newer live block; null when none is alike. */
  similarity(blockId: string): Similarity | null;
  /** The newer block that makes this one out of date. */
  superseded(blockId: string): Superseded | null;
  /** Measured share, 0 to 1, of evicted blocks of the same tool and type that the session has needed again. */
  reneedRate(block: Block): number;
}

/** An eviction policy: what each block is worth, and what may be done to it. Pure and deterministic. */
export interface Scorer {
  readonly name: string;
  /** The edits this policy makes. Empty: it never edits. */
  readonly actions: readonly ("clear" | "clear_input" | "drop")[];
  /** `target`: frees down to the target at once. `minimal`: frees just enough to be under the trigger, strictly in order. */
  readonly depth: "target" | "minimal";
  /** True: a pass takes everything that scores 0, also past the demand. */
  readonly exhaustsZero?: boolean;
  /**
   * Shares, together 1, by which the policy weighs its signals, by the names of their parts: each part is its signal times
   * its share. One signal has it all. Absent: the score is no weighted sum.
   */
  readonly weights?: Readonly<Record<string, number>>;
  score(block: Block, view: ScoringView): Score;
}
