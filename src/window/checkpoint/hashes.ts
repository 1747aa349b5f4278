import { contentHash } from "../../model/content-hash.ts";
import type { Task } from "../../model/events.ts";
import { canonicalJson, type JsonObject } from "../../model/json.ts";

/** Identity of a task as it was stated when its session was opened: 64 hex digits; null where none was stated. */
export function taskHash(task: Task | null): string | null {
  if (task === null) return null;
  const { goal, success_criteria, constraints } = task;
  return contentHash(canonicalJson({ goal, success_criteria: [...success_criteria], constraints: [...constraints] }));
}

/** SHA-256 of a document's canonical JSON without its checksum: 64 hex digits. The document must be JSON. */
export function checksumOf(document: object): string {
  const { checksum: _checksum, ...fields } = document as JsonObject;
  return contentHash(canonicalJson(fields));
}

/** Bytes of a value as JSON without white space, in UTF-8. */
export function bytesOf(value: object | string | null): number {
  return Buffer.byteLength(JSON.stringify(value), "utf8");
}
