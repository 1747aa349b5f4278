import { chain, diffHistory, messageDigest, partDigest } from "../messages/index.ts";
import type { Services } from "./hook.ts";
import { type Arrival, digestOf } from "./ingest.ts";
import type { Session } from "./session.ts";

export interface Incoming {
  /** Messages of the history that the session has not seen. */
  readonly fresh: readonly Arrival[];
  /** Live messages that the agent's history no longer holds. */
  readonly removed: readonly string[];
  /** What the agent holds before the fresh ones, where that is no longer what was known; null: as known. */
  readonly chain: { readonly sentCount: number; readonly sentChain: string } | null;
}

/** Finds what is new in a whole list: see messages/history for the rules. */
export function readHistory(
  session: Session,
  services: Pick<Services, "format">,
  arrivals: readonly Arrival[],
): Incoming {
  const digests = arrivals.map((arrival) => digestOf(arrival.split));
  const known = {
    sentCount: session.sentCount,
    sentChain: session.sentChain,
    // Read only when the history did not simply grow: hashing what is live now costs its length.
    get live() {
      return session.messages
        .filter((message) => !(services.format.systemBeside && message.role === "system"))
        .map(({ id, role, digest, blocks, source }) => ({
          id,
          digests: [
            digest,
            messageDigest(
              role,
              blocks.map((block) => partDigest(block.part)),
            ),
          ],
          kept: source === "contextd" || role === "system",
        }));
    },
  };
  const diff = diffHistory(known, digests);
  const fresh = arrivals.slice(diff.newFrom);
  if (diff.kind === "appended") return { fresh, removed: [], chain: null };
  const sentChain = digests.slice(0, diff.newFrom).reduce(chain, "");
  return { fresh, removed: diff.removed, chain: { sentCount: diff.newFrom, sentChain } };
}
