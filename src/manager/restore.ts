import type { SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";
import { Analysis, type Originals } from "./analysis.ts";
import { apply, closeBatch } from "./apply.ts";
import type { Parts } from "./live-context.ts";
import { decodePart } from "./part-codec.ts";
import { hashesOf, readBody } from "./row.ts";
import { newSession, type Session } from "./session.ts";
import { fromSnapshot, snapshotHashes } from "./snapshot.ts";

/** Contents fetched at once: bounds the memory of a load. */
const FETCH = 500;
/** Edited blocks whose originals are read again, the latest: older ones are no evidence any more. */
const MOST_ORIGINALS = 10_000;

/** A session read back, and what is derived of it as far as it was read. */
export interface Restored {
  readonly session: Session;
  readonly analysis: Analysis;
}

type Source = Pick<Journal, "load" | "contents">;

/**
 * A session read back from its snapshot and the rows after it; null when the journal does not know it. With
 * `upTo` the session is as it was after that row. The answer's position is that of the last row applied.
 */
export async function restore(journal: Source, key: SessionKey, upTo?: number): Promise<Session | null> {
  return (await restoreAnalysed(journal, key, upTo))?.session ?? null;
}

/** As `restore`, with what is derived of the session. */
export async function restoreAnalysed(journal: Source, key: SessionKey, upTo?: number): Promise<Restored | null> {
  const loaded = await journal.load(key, upTo);
  if (!loaded) return null;
  const rows = loaded.tail.map((row) => ({ at: row.at, events: readBody(row.body).events }));
  const ofSnapshot = loaded.snapshot ? snapshotHashes(loaded.snapshot.body) : { live: [], edited: [], departed: [] };
  if (ofSnapshot === null) throw new Error("the session's snapshot was written by another version of contextd");
  const edited = ofSnapshot.edited.slice(-MOST_ORIGINALS);
  const parts = await fetchParts(journal, [
    ...ofSnapshot.live,
    ...edited,
    ...ofSnapshot.departed,
    ...rows.flatMap((row) => hashesOf(row.events)),
  ]);
  const session = loaded.snapshot ? fromSnapshot(key, loaded.snapshot.body, parts) : newSession(key);
  const analysis = new Analysis(session, originalsOf(session, new Set(edited), parts));
  analysis.regret.resume(parts);
  for (const row of rows) {
    for (const event of row.events) {
      analysis.before(event);
      apply(session, event, parts);
      analysis.after(event);
    }
    closeBatch(session, row.at);
  }
  return { session, analysis };
}

/** What the edited blocks held when they came: what is carried over is chosen from it. */
function originalsOf(session: Session, fetched: ReadonlySet<string>, parts: Parts): Originals {
  const originals: Originals = new Map();
  for (const { blockId, hash, callId } of session.edits.values()) {
    if (fetched.has(hash)) originals.set(blockId, parts(hash, callId));
  }
  return originals;
}

async function fetchParts(journal: Pick<Source, "contents">, hashes: readonly string[]): Promise<Parts> {
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
