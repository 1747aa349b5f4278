import { alignHistory, chain, diffHistory, partDigest } from "../messages/index.ts";
import type { Part } from "../model/part.ts";
import type { Hook, Services } from "./hook.ts";
import { type Arrival, digestOf, ingest, ingestFirst } from "./ingest.ts";
import { shownDigest } from "./live-context.ts";
import { checkOrder, requireAnswered } from "./order.ts";
import type { ManagedMessage, Session } from "./session.ts";

/** What is new in a whole list, and what has to go for it. */
interface Incoming {
  /** System messages that begin the list in the place of those that did. */
  readonly head: readonly Arrival[];
  /** Messages of the history that are to be added, in order. */
  readonly fresh: readonly Arrival[];
  /** Live messages that the agent's history no longer holds as they are. */
  readonly removed: ReadonlySet<string>;
  /** What the agent holds before the fresh messages; null: what was known. */
  readonly before: Held | null;
  /** What it holds with them. */
  readonly after: Held;
}

/** A list of messages, by its length and its hash chain. */
interface Held {
  readonly sentCount: number;
  readonly sentChain: string;
}

/**
 * Takes the new part of a whole list in, and lets go of what the agent no longer holds. `between` runs when the list
 * has been accepted and the old messages are gone, before the new ones come.
 */
export function takeHistory(hook: Hook, arrivals: readonly Arrival[], between: () => void = () => {}): void {
  const { session } = hook;
  const incoming = readHistory(session, hook.services, arrivals);
  requireAnswered(checkOrder(session, incoming.fresh, null, incoming.removed));
  const pins = pinnedIn(session, incoming.removed);
  for (const messageId of incoming.removed) hook.emit("message.removed", { message_id: messageId });
  ingestFirst(hook, incoming.head);
  if (incoming.before) agree(hook, incoming.before, incoming.removed.size);
  between();
  const first = session.nextBlock;
  ingest(hook, incoming.fresh);
  for (let number = first; pins.size > 0 && number < session.nextBlock; number++) pinAgain(hook, `b${number}`, pins);
  const { sentCount, sentChain } = incoming.after;
  // A result that joined the others of its batch is a message of its own in the agent's list.
  if (session.sentCount !== sentCount || session.sentChain !== sentChain) agree(hook, incoming.after, 0);
}

function agree(hook: Hook, { sentCount, sentChain }: Held, removed: number): void {
  hook.emit("history.diverged", { removed_messages: removed, sent_count: sentCount, sent_chain: sentChain });
}

/** Parts that are pinned in messages about to go: what comes again keeps its pin, a result also in another length. */
function pinnedIn(session: Session, messageIds: ReadonlySet<string>): Set<string> {
  const pins = new Set<string>();
  for (const id of messageIds) {
    for (const { pinned, part } of session.messageById.get(id)?.blocks ?? []) if (pinned) pins.add(identityOf(part));
  }
  return pins;
}

function identityOf(part: Part): string {
  return part.kind === "tool_result" ? `result of ${part.callId}` : partDigest(part);
}

function pinAgain(hook: Hook, blockId: string, pins: ReadonlySet<string>): void {
  const block = hook.session.blocks.get(blockId);
  if (block && pins.has(identityOf(block.part))) hook.emit("block.pinned", { block_id: blockId });
}

/**
 * Finds what is new in a whole list: see messages/history for the rules. Where the agent has put something into the
 * middle of its list that was never there (a summary of its own, a result that it has shortened), everything from that
 * step on is taken anew as the agent has it. The system messages that begin the list stand for those that began it;
 * a list without any leaves them as they are.
 */
function readHistory(session: Session, services: Pick<Services, "format">, arrivals: readonly Arrival[]): Incoming {
  const digests = arrivals.map((arrival) => digestOf(arrival.split));
  const heldAt = (count: number): Held => ({
    sentCount: count,
    sentChain: digests.slice(0, count).reduce(chain, ""),
  });
  // Read only when the history did not simply grow: hashing what is live now costs its length.
  const live = () => session.messages.filter((each) => !isBeside(each, services)).map(liveMessage);
  const { sentCount, sentChain } = session;
  const diff = diffHistory(
    {
      sentCount,
      sentChain,
      get live() {
        return live();
      },
    },
    digests,
  );
  const after = heldAt(digests.length);
  if (diff.kind === "appended") {
    const own = ownBehindAllSent(session, services);
    const fresh = arrivals.slice(diff.newFrom).filter((_, at) => !own.has(digests[diff.newFrom + at] as string));
    return { head: [], fresh, removed: new Set(), before: null, after };
  }
  const headCount = leading(arrivals, ({ split }) => split.role === "system");
  const rewritten =
    diff.unmatched.find((at) => at >= headCount && !session.departed.has(digests[at] as string)) ??
    (isAnswered(session, arrivals[diff.newFrom]) ? diff.newFrom : null);
  const from = Math.max(headCount, rewritten === null ? diff.newFrom : startOfStep(arrivals, rewritten));
  const { removed } = rewritten === null ? diff : alignHistory(live(), digests.slice(0, from));
  const oldHead = session.messages.slice(0, leading(session.messages, isSystemOfAgent));
  const sameHead = headCount === 0 || oldHead.map((each) => each.digest).join() === digests.slice(0, headCount).join();
  return {
    head: sameHead ? [] : arrivals.slice(0, headCount),
    fresh: arrivals
      .slice(from)
      .map((arrival, at) => (from + at < diff.newFrom ? { ...arrival, again: true } : arrival)),
    removed: wholeUnits(session, sameHead ? removed : [...oldHead.map((each) => each.id), ...removed]),
    before: heldAt(from),
    after,
  };
}

/**
 * Messages of contextd's own that stand behind all that the agent has sent, by what they show: an agent that took the
 * context for its list brings them again behind what it had. Elsewhere they stand between its messages, and its list
 * did not simply grow.
 */
function ownBehindAllSent(session: Session, services: Pick<Services, "format">): ReadonlySet<string> {
  const shown = session.messages.filter((each) => !isBeside(each, services));
  const first = shown.findIndex(({ source }) => source === "contextd");
  if (first < 0 || shown.slice(first).some(({ source, digest }) => source === "agent" && digest !== ""))
    return new Set();
  return new Set(shown.slice(first).map(shownDigest));
}

/** How many items a list begins with that are so. */
function leading<T>(items: readonly T[], isSo: (item: T) => boolean): number {
  const end = items.findIndex((item) => !isSo(item));
  return end < 0 ? items.length : end;
}

function isSystemOfAgent({ role, source }: ManagedMessage): boolean {
  return role === "system" && source === "agent";
}

function isBeside(message: ManagedMessage, { format }: Pick<Services, "format">): boolean {
  return format.systemBeside && message.role === "system";
}

function liveMessage(message: ManagedMessage) {
  const { id, role, digest, source, shownBefore = [] } = message;
  return {
    id,
    digests: [digest, shownDigest(message), ...shownBefore],
    kept: source === "contextd" || role === "system",
  };
}

/** Whether the message has another result for a call that has one. */
function isAnswered(session: Session, arrival: Arrival | undefined): boolean {
  return (arrival?.split.parts ?? []).some((part) => {
    if (part.kind !== "tool_result") return false;
    const unit = session.units.get(session.unitOfCall.get(part.callId) ?? -1);
    return unit !== undefined && !unit.pendingCalls.has(part.callId);
  });
}

/** The place of the message with the calls that the results at `at` answer; `at` itself where there are none. */
function startOfStep(arrivals: readonly Arrival[], at: number): number {
  let start = at;
  while (start > 0 && arrivals[start]?.split.parts.some((part) => part.kind === "tool_result")) start--;
  return start;
}

/** Of the messages to remove, those that leave no call without its result: a unit goes whole or stays. */
function wholeUnits(session: Session, messageIds: readonly string[]): ReadonlySet<string> {
  const removed = new Set(messageIds);
  for (let changed = removed.size > 0; changed; ) {
    changed = false;
    for (const id of removed) {
      const blocks = session.messageById.get(id)?.blocks ?? [];
      const torn = blocks.some((block) =>
        session.units.get(block.unitId)?.blocks.some((other) => !removed.has(other.messageId)),
      );
      if (torn) changed = removed.delete(id);
    }
  }
  return removed;
}
