import { z } from "zod";
import { markdownOf } from "../../window/checkpoint/index.ts";
import { checkpointResult, reportCheckpoint } from "../windows/checkpoint-report.ts";
import { findCheckpoint, readDocument } from "../windows/stored-checkpoint.ts";
import { command, sessionId } from "./command.ts";

export const checkpointGet = command({
  name: "checkpoint.get",
  summary: "The document of a checkpoint, as JSON to load elsewhere, or as Markdown for people.",
  scope: "agent",
  sharedWith: ["operator"],
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    checkpoint_id: z.string().min(1).max(64).optional().describe("Default: the newest."),
    format: z.enum(["json", "markdown"]).default("json"),
  }),
  result: z.object({
    checkpoint: checkpointResult,
    document: z.looseObject({}).optional().describe("As docs/checkpoint.schema.json has it, for `json`."),
    markdown: z.string().optional().describe("For `markdown`."),
  }),
  prepare: (reader, session, { checkpoint_id }) =>
    readDocument(reader.journal, findCheckpoint(session, checkpoint_id ?? null)),
  decide({ session }, { checkpoint_id, format }, { prepared: document }) {
    const checkpoint = reportCheckpoint(findCheckpoint(session, checkpoint_id ?? null));
    return format === "json"
      ? { checkpoint, document: { ...document } }
      : { checkpoint, markdown: markdownOf(document) };
  },
});
