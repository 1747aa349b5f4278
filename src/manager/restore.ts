import type { CoreEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";
import { apply, closeBatch, type Parts } from "./apply.ts";
import { decodePart } from "./part-codec.ts";
import { hashesOf, readBody } from "./row.ts";
import { newSession, type Session } from "./session.ts";
import { fromSnapshot, snapshotHashes } from "./snapshot.ts";

/** Contents fetched at once: bounds the memory of a load. */
const FETCH = 500;

/**
 * Reads a session back from its snapshot and the rows after it; null when the journal does not know it. With
 * `upTo` the session is as it was after that row. The answer's position is that of the last row applied.
 */
export async function restore(
  journal: Pick<Journal, "load" | "contents">,
  key: SessionKey,
  upTo?: number,
): Promise<Session | null> {
  const loaded = await journal.load(key, upTo);
  if (!loaded) return null;
  const rows = loaded.tail.map((row) => ({ at: row.at, events: readBody(row.body).events }));
  const ofSnapshot = loaded.snapshot ? snapshotHashes(loaded.snapshot.body) : [];
  if (ofSnapshot === null) throw new Error("the session's snapshot was written by another version of contextd");
  const parts = await fetchParts(journal, [...ofSnapshot, ...rows.flatMap((row) => hashesOf(row.events))]);
  const session = loaded.snapshot ? fromSnapshot(key, loaded.snapshot.body, parts) : newSession(key);
  for (const row of rows) replayRow(session, row.events, row.at, parts);
  return session;
}

function replayRow(session: Session, events: readonly CoreEvent[], at: number, parts: Parts): void {
  for (const event of events) apply(session, event, parts);
  closeBatch(session, at);
}

async function fetchParts(journal: Pick<Journal, "contents">, hashes: readonly string[]): Promise<Parts> {
  const unique = [...new Set(hashes)];
  const bodies = new Map<string, string>();
  for (let start = 0; start < unique.length; start += FETCH) {
    for (const [hash, body] of await journal.contents(unique.slice(start, start + FETCH))) bodies.set(hash, body);
  }
  return (hash, callId) => {
    const body = bodies.get(hash);
    if (body === undefined) throw new Error(`content ${hash.slice(0, 12)} named by the journal is missing`);
    return decodePart(body, callId);
  };
}
