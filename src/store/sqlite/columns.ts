import type { SessionKey } from "../../model/session-key.ts";
import type { SqlValue } from "./driver.ts";

/*
 * How values stand in columns. Names that clients choose (session ids, idempotency keys) may hold anything, so
 * they are stored escaped as within a JSON string; ordinary names look the same. TEXT is selected as a blob.
 */

export function storedName(name: string): string {
  return JSON.stringify(name).slice(1, -1);
}

/** Throws on text that `storedName` did not make. */
export function readName(stored: string): string {
  return String(JSON.parse(`"${stored}"`));
}

export function storedKey(key: SessionKey): string {
  return storedName(`${key.tenant}/${key.id}`);
}

/** Throws on text that `storedKey` did not make: the record is damaged. */
export function readKey(stored: string): SessionKey {
  const text = readName(stored);
  const slash = text.indexOf("/");
  if (slash < 0) throw new Error("a session's key without its tenant");
  return { tenant: text.slice(0, slash), id: text.slice(slash + 1) };
}

/** Bytes that are not UTF-8 come out changed, which the hash chain then notices. */
export function readText(value: SqlValue | undefined): string {
  return readBytes(value).toString("utf8");
}

export function readHex(value: SqlValue | undefined): string {
  return readBytes(value).toString("hex");
}

export function readBytes(value: SqlValue | undefined): Buffer {
  if (!(value instanceof Uint8Array))
    throw new Error(`a blob was stored, ${value === null ? "null" : typeof value} came back`);
  return Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
}

export function readNumber(value: SqlValue | undefined): number {
  if (typeof value !== "number")
    throw new Error(`a number was stored, ${value === null ? "null" : typeof value} came back`);
  return value;
}

const HASH_BYTES = 32;

/** Hashes (hex) one after the other, 32 bytes each. */
export function storedHashes(hashes: readonly string[]): Buffer {
  return Buffer.from(hashes.join(""), "hex");
}

export function readHashes(value: SqlValue | undefined): string[] {
  const bytes = readBytes(value);
  const hashes: string[] = [];
  for (let at = 0; at < bytes.length; at += HASH_BYTES) hashes.push(bytes.toString("hex", at, at + HASH_BYTES));
  return hashes;
}
