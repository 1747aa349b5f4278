import { chain } from "./digest.ts";

/** A message that contextd manages now, as a history of the agent's may show it. */
export interface LiveMessage {
  readonly id: string;
  /** Digests by which it is recognised: as the agent sent it, and as it is managed now. */
  readonly digests: readonly string[];
  /** True when its absence from the agent's history means nothing: a system message, or one of contextd's own. */
  readonly kept?: boolean;
}

export interface KnownHistory {
  /** How many messages the agent's own copy held when contextd last saw or shaped it. */
  readonly sentCount: number;
  /** Head of the hash chain over the digests of that copy: see `chain`. */
  readonly sentChain: string;
  /** Read only when the agent's copy has not simply grown: a getter saves the digests of what is managed now. */
  readonly live: readonly LiveMessage[];
}

export interface HistoryDiff {
  /**
   * `appended`: the agent's copy has only grown. `adopted`: the agent took the managed list for its history, and it
   * has grown from there. `diverged`: the agent rewrote its history.
   */
  readonly kind: "appended" | "adopted" | "diverged";
  /** Index in the incoming list of the first message that is new. */
  readonly newFrom: number;
  /** Ids of the live messages that the agent's history no longer holds, in order. Empty unless diverged. */
  readonly removed: readonly string[];
  /** Places before `newFrom` of incoming messages that no live message stands for. Empty unless diverged. */
  readonly unmatched: readonly number[];
}

/**
 * Finds what is new in a full history, given as message digests. The cost is linear in both lists.
 *
 * In a diverged history, live and incoming messages are aligned in order by digest. What follows the last match is
 * new; incoming messages before it without a partner were evicted earlier and are left out; live messages without a
 * partner were dropped by the agent.
 */
export function diffHistory(known: KnownHistory, incoming: readonly string[]): HistoryDiff {
  if (incoming.length >= known.sentCount) {
    let head = "";
    for (let index = 0; index < known.sentCount; index++) head = chain(head, incoming[index] as string);
    if (head === known.sentChain) return { kind: "appended", newFrom: known.sentCount, removed: [], unmatched: [] };
  }
  const { live } = known;
  const adopted = adoptedLength(live, incoming);
  if (adopted !== null) return { kind: "adopted", newFrom: adopted, removed: [], unmatched: [] };
  return alignHistory(live, incoming);
}

/** How many incoming messages are the managed list, in order; null when they do not begin with it, or it is empty. */
function adoptedLength(live: readonly LiveMessage[], incoming: readonly string[]): number | null {
  let next = 0;
  for (const message of live) {
    const digest = incoming[next];
    if (digest !== undefined && message.digests.includes(digest)) next += 1;
    else if (message.kept !== true) return null;
  }
  return next > 0 ? next : null;
}

/** Where a digest still occurs in a list, in order, and how far the search has come. */
interface Places {
  readonly at: number[];
  next: number;
}

type Index = Map<string, Places>;

function note(index: Index, digest: string, at: number): void {
  const places = index.get(digest);
  if (places === undefined) index.set(digest, { at: [at], next: 0 });
  else places.at.push(at);
}

/** First place of the digest at or after `from`; Infinity when there is none. Linear over the life of the index. */
function seek(index: Index, digest: string, from: number): number {
  const places = index.get(digest);
  if (places === undefined) return Number.POSITIVE_INFINITY;
  while (places.next < places.at.length && (places.at[places.next] as number) < from) places.next += 1;
  return places.at[places.next] ?? Number.POSITIVE_INFINITY;
}

function seekAny(index: Index, digests: readonly string[], from: number): number {
  let nearest = Number.POSITIVE_INFINITY;
  for (const digest of digests) nearest = Math.min(nearest, seek(index, digest, from));
  return nearest;
}

/**
 * The diff of a history that is known to have diverged.
 *
 * Two pointers, one a list. Equal heads match. Otherwise the head that does not occur in the rest of the other list
 * has no partner; when both occur further on, the smaller leap is taken (the live list's on a tie), so that one
 * repeated message does not throw away everything between its occurrences.
 */
export function alignHistory(live: readonly LiveMessage[], incoming: readonly string[]): HistoryDiff {
  const inLive: Index = new Map();
  const inIncoming: Index = new Map();
  for (const [at, message] of live.entries()) for (const digest of message.digests) note(inLive, digest, at);
  for (const [at, digest] of incoming.entries()) note(inIncoming, digest, at);

  const matched = new Array<boolean>(live.length).fill(false);
  let ours = 0;
  let theirs = 0;
  let newFrom = 0;
  const unmatched: number[] = [];
  while (ours < live.length && theirs < incoming.length) {
    const message = live[ours] as LiveMessage;
    const digest = incoming[theirs] as string;
    if (message.digests.includes(digest)) {
      matched[ours] = true;
      ours += 1;
      theirs += 1;
      newFrom = theirs;
      continue;
    }
    const liveLeap = seek(inLive, digest, ours) - ours;
    const incomingLeap = seekAny(inIncoming, message.digests, theirs) - theirs;
    if (
      liveLeap !== Number.POSITIVE_INFINITY &&
      (incomingLeap === Number.POSITIVE_INFINITY || liveLeap <= incomingLeap)
    ) {
      ours += 1;
    } else unmatched.push(theirs++);
  }
  const removed = live.filter((message, at) => matched[at] === false && message.kept !== true);
  return {
    kind: "diverged",
    newFrom,
    removed: removed.map((message) => message.id),
    unmatched: unmatched.filter((at) => at < newFrom),
  };
}
