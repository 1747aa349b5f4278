import { hash } from "node:crypto";
import type { SessionKey } from "../model/session-key.ts";
import type { LearnedModel } from "./journal.ts";

/*
 * The hash chain of a session. Each row carries
 *
 *   chain(n) = SHA-256( chain(n-1) LF [position, at, hook, idempotency key, hashes of its contents] as JSON LF body )
 *
 * and the chain starts from the session's key and time of creation. Since the hash of a content covers its text,
 * a chain that verifies covers all that the session ever stored. The session's own record, which changes with each
 * row, carries a seal: SHA-256 over the last chain and the record's fields.
 *
 * Each line feed separates unambiguously: the hash has a fixed length and JSON text on one line holds none.
 */

export interface ChainedRow {
  readonly sessionSeq: number;
  readonly at: number;
  readonly hook: string;
  readonly idempotencyKey: string | null;
  readonly body: string;
}

export interface SealedSession {
  readonly key: SessionKey;
  readonly createdAt: number;
  readonly lastSessionSeq: number;
  readonly closed: boolean;
  readonly summary: string;
}

/** What the first row is chained to; 64 hex digits, as are all chains. */
export function genesis(key: SessionKey, createdAt: number): string {
  return hash("sha256", `contextd journal 1\n${JSON.stringify([key.tenant, key.id, createdAt])}`, "hex");
}

export function nextChain(previous: string, row: ChainedRow, contentHashes: readonly string[]): string {
  const header = JSON.stringify([row.sessionSeq, row.at, row.hook, row.idempotencyKey, ...contentHashes]);
  return hash("sha256", `${previous}\n${header}\n${row.body}`, "hex");
}

export function sessionSeal(chain: string, session: SealedSession): string {
  const { key, createdAt, lastSessionSeq, closed, summary } = session;
  const header = JSON.stringify([key.tenant, key.id, createdAt, lastSessionSeq, closed]);
  return hash("sha256", `${chain}\n${header}\n${summary}`, "hex");
}

/** Of what is known of a model from the journal's row `seq` on. */
export function learnedSeal(model: LearnedModel, seq: number): string {
  const { tenant, model: name, at, body } = model;
  return hash("sha256", `${JSON.stringify([tenant, name, at, seq])}\n${body}`, "hex");
}

export function snapshotSeal(key: SessionKey, sessionSeq: number, body: string): string {
  return hash("sha256", `${JSON.stringify([key.tenant, key.id, sessionSeq])}\n${body}`, "hex");
}
