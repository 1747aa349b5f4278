import { z } from "zod";
import { count, path, properShare } from "./quantities.ts";

/** Steps that a config may always name; one whose method is not built in yet is passed over. */
const CASCADE_STEPS = [
  "tool_result_summarization",
  "eviction",
  "progressive",
  "conversation_compaction",
  "sub_agent",
] as const;

const THRESHOLD = /^(0?\.\d{1,6}|1(\.0{1,6})?)$/;

/** How content is made shorter. `methods` are the registered compression methods, beside the published steps. */
export const compression = (methods: readonly string[]) =>
  z
    .strictObject({
      summarization_threshold_tokens: count()
        .default(500)
        .describe("Tool results above this size are summarised. Not acted on before the cascade is released."),
      compaction_utilization_threshold: properShare()
        .default(0.92)
        .describe("Share of the window at which history is compacted. Not acted on before the cascade is released."),
      cascade: z
        .record(
          z.string().regex(THRESHOLD, "must be a share of the window such as 0.75"),
          z.enum(cascadeNames(methods)),
        )
        .default({
          "0.75": "tool_result_summarization",
          "0.85": "progressive",
          "0.92": "conversation_compaction",
          "0.95": "sub_agent",
        })
        .describe(
          "Share of the window -> step tried from there on; replaced as a whole, never merged. " +
            "Not acted on before the cascade is released.",
        ),
      notes_file: path()
        .nullable()
        .default(null)
        .describe(
          "Markdown copy of each session's notes, for people: `notes.md` names `notes.<session>.md`, and so on. " +
            "Of the config and its profiles only: what a session sets for itself is not acted on.",
        ),
      ingest_max_tokens: z
        .union([z.literal("auto"), count(16)])
        .default("auto")
        .describe("Tool results above this size are cut to head and tail on arrival; `auto`: by the window's size."),
    })
    .prefault({})
    .describe("How content is made shorter before it has to go.");

function cascadeNames(methods: readonly string[]): string[] {
  return [...new Set<string>([...CASCADE_STEPS, ...methods])];
}
