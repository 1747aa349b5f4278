import { canonicalJson, type JsonObject } from "../../model/json.ts";
import { type CheckpointDocument, checkpointSchema, MOST_BYTES, MOST_DEPTH } from "./document.ts";
import { expectedAt, pathOf } from "./expected.ts";
import { checksumOf } from "./hashes.ts";
import { type BoundBroken, boundBroken } from "./json-bounds.ts";

/** Where a document is none, and what should stand there: nothing of what does. */
export interface Malformed {
  /** As `subtasks[3].status`; `document` for the whole. Names fields of the format only. */
  readonly path: string;
  /** In words that go on after "expected". */
  readonly expected: string;
}

const BOUNDS: Readonly<Record<BoundBroken, string>> = {
  not_json: "plain JSON",
  too_deep: `JSON nested at most ${MOST_DEPTH} deep`,
  too_big: `at most ${MOST_BYTES} bytes of JSON`,
};

/**
 * Reads a document that anyone may have made: its shape and its checksum. Whether it may be loaded into a session is
 * for `refusalOf` to say. The document is a copy: what is done to `json` later does not change it.
 */
export function readCheckpoint(
  json: unknown,
): { readonly document: CheckpointDocument } | { readonly malformed: Malformed } {
  const broken = boundBroken(json);
  if (broken !== null) return { malformed: { path: "document", expected: BOUNDS[broken] } };
  const { error } = checkpointSchema.safeParse(json);
  const issue = error?.issues[0];
  if (issue) return { malformed: { path: pathOf(issue.path), expected: expectedAt(issue) } };
  // What was parsed lacks keys that zod passes over, such as __proto__: the document is what came.
  const document = structuredClone(json) as JsonObject;
  if (document["checksum"] !== checksumOf(document)) {
    return { malformed: { path: "checksum", expected: "the SHA-256 of the other fields as canonical JSON" } };
  }
  if (Buffer.byteLength(canonicalJson(document)) > MOST_BYTES) {
    return { malformed: { path: "document", expected: BOUNDS.too_big } };
  }
  return { document: document as unknown as CheckpointDocument };
}
