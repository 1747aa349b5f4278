import type { BlockType } from "../model/block.ts";
import { DEPARTURES_A_TURN, type Departure, isRecent, type Regret, type RegretKind } from "./departure.ts";
import { initialTally, type RegretTally, type TallyGroup, tallyEvicted, tallyRegretted } from "./tally.ts";

/** What a session knows of regret: plain data, a fold over its events. */
export interface RegretState {
  /** What left in the last REGRET_TURNS turns, in the order in which it left. */
  departures: Departure[];
  /** What was needed again, by block, for the life of the session: at most one of each kind a block. */
  readonly regrets: Map<string, readonly Regret[]>;
  readonly tally: RegretTally;
}

/** `RegretState` as JSON. */
export interface StoredRegret {
  readonly departures: readonly Departure[];
  readonly regrets: readonly (readonly [string, readonly Regret[]])[];
  readonly tally: { readonly evicted: number; readonly regretted: number; readonly groups: [string, TallyGroup][] };
}

export function initialRegret(): RegretState {
  return { departures: [], regrets: new Map(), tally: initialTally() };
}

/** A content has left; `first`: nothing of its block has left before. */
export function noteDeparture(state: RegretState, departure: Departure, first: boolean): void {
  if (first) tallyEvicted(state.tally, departure.toolName, departure.type);
  const { departures } = state;
  const oldestOfMost = departures[departures.length - DEPARTURES_A_TURN];
  if (oldestOfMost?.turn === departure.turn) return;
  departures.push(departure);
}

/** The block's content is back: nothing of it is missing. */
export function noteReturn(state: RegretState, blockId: string): void {
  state.departures = state.departures.filter((departure) => departure.blockId !== blockId);
}

/** A turn has begun: what left too long ago is regretted no more. */
export function forgetDepartures(state: RegretState, turn: number): void {
  const [oldest] = state.departures;
  if (!oldest || isRecent(oldest, turn)) return;
  const kept = state.departures.findIndex((departure) => isRecent(departure, turn));
  state.departures = kept < 0 ? [] : state.departures.slice(kept);
}

/** A block that had left was needed again. */
export function noteRegret(
  state: RegretState,
  block: { readonly id: string; readonly type: BlockType; readonly toolName: string | null },
  regret: Regret,
): void {
  const known = state.regrets.get(block.id) ?? [];
  if (known.length === 0) tallyRegretted(state.tally, block.toolName, block.type);
  state.regrets.set(block.id, [...known, regret]);
}

export function isRegretted(state: RegretState, blockId: string, kind: RegretKind): boolean {
  return state.regrets.get(blockId)?.some((regret) => regret.kind === kind) ?? false;
}

/** The last time that content of the block left, if that is recent; else null. */
export function departureOf(state: RegretState, blockId: string): Departure | null {
  return state.departures.findLast((departure) => departure.blockId === blockId) ?? null;
}

export function toStored({ departures, regrets, tally }: RegretState): StoredRegret {
  return { departures, regrets: [...regrets], tally: { ...tally, groups: [...tally.groups] } };
}

/** Inverse of `toStored`. */
export function fromStored({ departures, regrets, tally }: StoredRegret): RegretState {
  return {
    departures: [...departures],
    regrets: new Map(regrets),
    tally: { ...tally, groups: new Map(tally.groups) },
  };
}
