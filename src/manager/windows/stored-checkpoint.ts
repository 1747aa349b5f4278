import { ContextdError } from "../../model/errors.ts";
import type { Journal } from "../../store/journal.ts";
import { type CheckpointDocument, notFoundSentence } from "../../window/checkpoint/index.ts";
import type { Checkpoint, Session } from "../session.ts";
import { lastCheckpoint } from "./checkpoint.ts";

/** The checkpoint of that id; null: the newest. Throws `checkpoint_not_found`. */
export function findCheckpoint(session: Session, id: string | null): Checkpoint {
  const found = id === null ? lastCheckpoint(session) : session.checkpoints.find((each) => each.id === id);
  if (found) return found;
  const sentence = id === null ? "No checkpoint was saved yet: checkpoint.save writes one." : notFoundSentence(id);
  throw new ContextdError("checkpoint_not_found", sentence);
}

/** The document of a checkpoint, as it was saved. */
export async function readDocument(
  journal: Pick<Journal, "contents">,
  { hash }: Pick<Checkpoint, "hash">,
): Promise<CheckpointDocument> {
  const body = (await journal.contents([hash])).get(hash);
  if (body === undefined)
    throw new ContextdError("checkpoint_not_found", "The checkpoint's document is not kept any more.");
  return JSON.parse(body) as CheckpointDocument;
}
