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
        .describe(
          "Tool results above this size are summarised: what tool_result_summarization takes for its min_tokens.",
        ),
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
        .describe("File the agent's notes are written to. Not acted on before notes are released."),
      ingest_max_tokens: z
        .union([z.literal("auto"), count(16)])
        .default("auto")
        .describe("Tool results above this size are shortened on arrival; `auto`: by the window's size."),
      ingest_max_characters: count(80)
        .nullable()
        .default(null)
        .describe(
          "Tool results of more characters are shortened on arrival, markers included; the smaller of both limits " +
            "holds. null: only the tokens count.",
        ),
      ingest_method: z
        .enum(["head_tail", "structured"])
        .default("head_tail")
        .describe(
          "How results are shortened on arrival: `head_tail` keeps both ends; `structured` keeps what matters in JSON, " +
            "diffs, logs, listings and test output, and both ends of anything else.",
        ),
    })
    .prefault({})
    .describe("How content is made shorter before it has to go.");

function cascadeNames(methods: readonly string[]): string[] {
  return [...new Set<string>([...CASCADE_STEPS, ...methods])];
}
