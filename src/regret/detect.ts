import type { DepartedIndex } from "./departed-index.ts";
import type { Departure, RegretKind } from "./departure.ts";
import { isRegretted, type RegretState } from "./state.ts";

/** What an assistant message uses. */
export interface Use {
  /** Hashes of the identifiers in its text and in the arguments of its calls. */
  readonly identifiers: Iterable<number>;
  readonly calls: readonly { readonly id: string; readonly key: string }[];
}

/** What is in the context when the message comes, without the message. */
export interface LiveContent {
  /** Whether a live block holds the identifier; `holders` departed with it, and something may stand in their place. */
  isLive(identifier: number, holders: readonly Departure[]): boolean;
  /** Whether a result of the call stands in a live block other than this one. */
  isAnswered(callKey: string, blockId: string): boolean;
}

export interface Detected {
  readonly kind: RegretKind;
  readonly departure: Departure;
  /** Hash of the identifier that was used, the first of the message; null where the need was another. */
  readonly identifier: number | null;
}

/** An identifier that more departed blocks held is common: its use is no need for any of them. */
const MOST_HOLDERS = 6;

/** Regrets told of one message: bounds what a message that names everything costs. The others may be told later. */
const MOST_AT_ONCE = 100;

/**
 * What a new assistant message shows to have been needed: content whose identifiers it uses while no live block
 * holds them, and results of calls that it makes again. Each block counts once a kind, whatever `state` and the
 * message say of it besides. The index must have read all that left.
 */
export function detectRegrets(index: DepartedIndex, state: RegretState, use: Use, live: LiveContent): Detected[] {
  const found = new Map<string, Detected>();
  const note = (kind: RegretKind, departure: Departure, identifier: number | null = null) => {
    const key = `${kind} ${departure.blockId}`;
    if (found.size < MOST_AT_ONCE && !found.has(key)) found.set(key, { kind, departure, identifier });
  };
  const isNew = (kind: RegretKind, departure: Departure) => !isRegretted(state, departure.blockId, kind);
  for (const { id, key } of use.calls) {
    const departure = index.resultOf(key);
    if (departure === null || !isNew("reread", departure)) continue;
    // Under the id that it had it is the same call, taken in again from the agent's own list.
    if (departure.call?.id !== id && !live.isAnswered(key, departure.blockId)) note("reread", departure);
  }
  for (const identifier of use.identifiers) {
    const holders = index.holders(identifier, MOST_HOLDERS);
    if (holders === null || !holders.some((departure) => isNew("identifier", departure))) continue;
    if (live.isLive(identifier, holders)) continue;
    for (const departure of holders) if (isNew("identifier", departure)) note("identifier", departure, identifier);
  }
  return [...found.values()];
}
