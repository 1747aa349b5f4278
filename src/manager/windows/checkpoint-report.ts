import { z } from "zod";
import { CHECKPOINT_REASONS } from "../../model/events.ts";
import type { Checkpoint } from "../session.ts";

/** A checkpoint on the wire, without its document. */
export const checkpointResult = z.object({
  checkpoint_id: z.string(),
  window_id: z.string(),
  window_number: z.number(),
  state_version: z.number().describe("Version of what it holds; only rises."),
  turn: z.number(),
  reason: z.enum(CHECKPOINT_REASONS),
  saved_at: z.string().describe("ISO 8601."),
  expires_at: z.string().nullable().describe("ISO 8601; null: it holds for ever."),
  bytes: z.number().describe("Size of the document."),
});

export function reportCheckpoint(checkpoint: Checkpoint): z.infer<typeof checkpointResult> {
  const { id, windowId, windowNumber, stateVersion, turn, reason, savedAt, ttlSeconds, bytes } = checkpoint;
  return {
    checkpoint_id: id,
    window_id: windowId,
    window_number: windowNumber,
    state_version: stateVersion,
    turn,
    reason,
    saved_at: new Date(savedAt).toISOString(),
    expires_at: ttlSeconds === null ? null : new Date(savedAt + ttlSeconds * 1000).toISOString(),
    bytes,
  };
}
