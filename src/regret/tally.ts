import type { BlockType } from "../model/block.ts";

/** Blocks of one tool and type: how many left the context, and how many of them were needed again. */
export interface TallyGroup {
  readonly toolName: string | null;
  readonly type: BlockType;
  readonly evicted: number;
  readonly regretted: number;
}

/** The groups of a session by `groupKey`, and their sums. Plain data. */
export interface RegretTally {
  readonly groups: Map<string, TallyGroup>;
  evicted: number;
  regretted: number;
}

/** Groups told apart; blocks of further ones count in the sums alone. Agents name tools, so the names must end. */
const MOST_GROUPS = 256;

/**
 * What is taken for the share of evicted blocks needed again before anything is known, and the blocks it weighs. On the
 * recorded runs oldest-first eviction has .17 of its blocks needed again at half a run's window, .27 at a quarter.
 */
const PRIOR_RATE = 0.2;
const PRIOR_BLOCKS = 10;

/** Blocks that the session's mean weighs in the rate of one group: so many make the group's own rate count half. */
const SHRINKAGE_BLOCKS = 8;

const LEAST_FACTOR = 0.5;
const MOST_FACTOR = 2;

export function initialTally(): RegretTally {
  return { groups: new Map(), evicted: 0, regretted: 0 };
}

/** Counts a block that left the context; to be called once a block. */
export function tallyEvicted(tally: RegretTally, toolName: string | null, type: BlockType): void {
  tally.evicted++;
  add(tally, toolName, type, 1, 0);
}

/** Counts a block that was needed again; to be called once a block. */
export function tallyRegretted(tally: RegretTally, toolName: string | null, type: BlockType): void {
  tally.regretted++;
  add(tally, toolName, type, 0, 1);
}

/**
 * Share of the evicted blocks of this tool and type that were needed again, in (0, 1): the group's own share, drawn
 * towards the session's mean by SHRINKAGE_BLOCKS blocks, which is drawn towards PRIOR_RATE by PRIOR_BLOCKS blocks
 * (the mean of a beta distribution, twice).
 */
export function reneedRate(tally: RegretTally, toolName: string | null, type: BlockType): number {
  const { evicted = 0, regretted = 0 } = tally.groups.get(groupKey(toolName, type)) ?? {};
  return (regretted + SHRINKAGE_BLOCKS * meanRate(tally)) / (evicted + SHRINKAGE_BLOCKS);
}

/** The session's smoothed share of evicted blocks that were needed again, in (0, 1). */
export function meanRate(tally: RegretTally): number {
  return (tally.regretted + PRIOR_BLOCKS * PRIOR_RATE) / (tally.evicted + PRIOR_BLOCKS);
}

/**
 * How much more content of this tool and type is needed again than the session's mean, as a factor in [0.5, 2]; 1
 * for a group of which nothing has left yet.
 */
export function needFactor(tally: RegretTally, toolName: string | null, type: BlockType): number {
  const factor = reneedRate(tally, toolName, type) / meanRate(tally);
  return Math.min(MOST_FACTOR, Math.max(LEAST_FACTOR, factor));
}

function groupKey(toolName: string | null, type: BlockType): string {
  return toolName === null ? type : `${type} ${toolName}`;
}

function add(tally: RegretTally, toolName: string | null, type: BlockType, evicted: number, regretted: number): void {
  const key = groupKey(toolName, type);
  const known = tally.groups.get(key);
  if (!known && tally.groups.size >= MOST_GROUPS) return;
  tally.groups.set(key, {
    toolName,
    type,
    evicted: (known?.evicted ?? 0) + evicted,
    regretted: (known?.regretted ?? 0) + regretted,
  });
}
