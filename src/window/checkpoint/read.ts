import type { z } from "zod";
import { canonicalJson, isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { type CheckpointDocument, checkpointSchema, MOST_BYTES, MOST_DEPTH, MOST_ITEMS } from "./document.ts";
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
  const malformed = shapeBroken(json);
  if (malformed !== null) return { malformed };
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

/** Items of a list that are looked at with the rest of the document. */
const FIRST_ITEMS = 50;

/**
 * The first place where the document has not the shape of the schema. Long lists are looked at item by item: of a
 * list of wrong items zod would describe them all.
 */
function shapeBroken(json: unknown): Malformed | null {
  const { error } = checkpointSchema.safeParse(isJsonObject(json) ? withShortLists(json) : json);
  const [issue] = error?.issues ?? [];
  if (issue) return told(issue, []);
  for (const field of LISTS) {
    const items = (json as JsonObject)[field] as Json[];
    if (items.length > MOST_ITEMS[field]) return { path: field, expected: `at most ${MOST_ITEMS[field]} items` };
    const item: z.ZodType = checkpointSchema.shape[field].element;
    for (let at = FIRST_ITEMS; at < items.length; at++) {
      const [wrong] = item.safeParse(items[at]).error?.issues ?? [];
      if (wrong) return told(wrong, [field, at]);
    }
  }
  return null;
}

const LISTS = Object.keys(MOST_ITEMS) as (keyof typeof MOST_ITEMS)[];

function withShortLists(json: JsonObject): JsonObject {
  const short = { ...json };
  for (const field of LISTS) {
    const list = json[field];
    if (Array.isArray(list)) short[field] = list.slice(0, FIRST_ITEMS);
  }
  return short;
}

function told(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): Malformed {
  return { path: pathOf([...above, ...issue.path]), expected: expectedAt(issue) };
}
