import { z } from "zod";
import { count, path, properShare } from "./quantities.ts";

/** The step that is no compression method: eviction by the policy in force. */
const EVICTION_STEP = "eviction";

const THRESHOLD = /^(0?\.\d{1,6}|1(\.0{1,6})?)$/;

/** How content is made shorter. `methods` are the registered compression methods. */
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
        .describe(
          "Share of the window from which `conversation_compaction` is tried where the cascade does not name it.",
        ),
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
          "Share of the window -> step that a pass tries from there on, until it has freed its demand; replaced as a " +
            "whole, never merged. `eviction` is the policy's own step: the first one where the cascade does not name it.",
        ),
      options: z
        .record(z.string(), z.record(z.string(), z.json()))
        .default({})
        .describe("Options of compression methods by name, checked by the method."),
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
  return [EVICTION_STEP, ...methods];
}
