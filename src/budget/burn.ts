import { COMPONENTS, type Component } from "../model/block.ts";

/** Tokens by component; a component that is absent holds none. */
export type ComponentTokens = Readonly<Partial<Record<Component, number>>>;

/** Turns over which a burn rate is the mean. */
const BURN_TURNS = 20;

/** What is remembered to tell how fast each component fills. Plain data: it goes into snapshots as it is. */
export interface BurnState {
  /** Tokens of each component at the end of the latest turn noted; null before the first. */
  readonly used: ComponentTokens | null;
  /** Tokens added to each component in the latest `BURN_TURNS` turns, oldest first. */
  readonly added: Readonly<Partial<Record<Component, readonly number[]>>>;
}

export function initialBurn(): BurnState {
  return { used: null, added: {} };
}

/**
 * Notes a turn that is over. The first one only sets the level: nothing tells in how many turns it came together.
 *
 * @param used tokens of each component now, recomputed from the live blocks.
 * @param freed tokens freed in each component during the turn. Without it a component that shrank counts as
 *   having added nothing, which is less than the truth, never negative.
 */
export function noteTurn(state: BurnState, used: ComponentTokens, freed: ComponentTokens = {}): BurnState {
  const level = { ...used };
  const before = state.used;
  if (before === null) return { used: level, added: {} };
  const added: Partial<Record<Component, readonly number[]>> = {};
  for (const component of COMPONENTS) {
    const growth = (used[component] ?? 0) - (before[component] ?? 0) + (freed[component] ?? 0);
    const turns = (state.added[component] ?? []).slice(1 - BURN_TURNS);
    turns.push(Math.max(0, growth));
    added[component] = turns;
  }
  return { used: level, added };
}

/** Mean tokens a turn added to the component over the turns remembered; null before there is one. */
export function burnRate(state: BurnState, component: Component): number | null {
  const added = state.added[component];
  if (added === undefined || added.length === 0) return null;
  return added.reduce((sum, tokens) => sum + tokens, 0) / added.length;
}
