import type { BlockType } from "../model/block.ts";
import { textOf } from "../model/part.ts";
import type { Unit } from "../model/unit.ts";
import type { ScoringView, Similarity, Superseded } from "./scorer.ts";

/** What the view is made of; the two indexes are the session's own. */
export interface ScoringSources {
  readonly turn: number;
  readonly windowTokens: number;
  /** All units of the managed context, in its order. */
  readonly units: readonly Unit[];
  readonly taskText: string;
  readonly similarity: { similarity(blockId: string): Similarity | null; relevance(blockId: string): number };
  readonly superseded: { superseded(blockId: string): Superseded | null };
  /** Share of the evicted blocks of a tool and type that the session has needed again, 0 to 1. */
  reneedRate(toolName: string | null, type: BlockType): number;
}

/** Builds the view of one pass. Linear in the number of units. */
export function scoringView(sources: ScoringSources): ScoringView {
  const ranks = new Map<number, number>();
  sources.units.forEach((unit, index) => {
    ranks.set(unit.id, sources.units.length - 1 - index);
  });
  return {
    turn: sources.turn,
    windowTokens: sources.windowTokens,
    unitCount: sources.units.length,
    unitRank: (unitId) => ranks.get(unitId) ?? 0,
    text: (block) => textOf(block.part),
    taskText: sources.taskText,
    relevance: (blockId) => sources.similarity.relevance(blockId),
    similarity: (blockId) => sources.similarity.similarity(blockId),
    superseded: (blockId) => sources.superseded.superseded(blockId),
    reneedRate: (block) => sources.reneedRate(block.tool?.name ?? null, block.type),
  };
}
