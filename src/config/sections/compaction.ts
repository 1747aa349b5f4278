import { z } from "zod";
import { count, milliseconds, properShare } from "./quantities.ts";

const lines = () => z.array(z.string().min(1).max(1_000)).max(50);

/** How what leaves the context is summarised. */
export const compaction = z
  .strictObject({
    summarizer: z
      .enum(["auto", "llm", "extractive", "none"])
      .default("auto")
      .describe(
        "Who summarises what a pass drops; `auto`: the model of `llm.summarizer` where one is configured, else the " +
          "extractive summariser; `llm`: as auto; `none`: nobody.",
      ),
    summary_share: properShare()
      .default(0.025)
      .describe("Most the summary may take, as a share of the window; it is taken from the ledger's room."),
    summary_max_tokens: count(64, 100_000).default(2_000).describe("Most the summary may take, in tokens."),
    least_units: count(1, 1_000)
      .default(5)
      .describe("A model is asked only where a pass drops at least so many units; fewer are summarised extractively."),
    early_turns: count(0, 100)
      .default(4)
      .describe("In yellow, a model is asked when orange is expected within so many turns."),
    max_wait_ms: milliseconds(0)
      .default(0)
      .describe("Time that a turn's start may wait for a summary that is under way; 0: no hook waits for a model."),
    skip_in_emergency: z
      .boolean()
      .default(false)
      .describe("Whether a pass of the emergency writes no summary: what counts then is room."),
    prompt: z
      .strictObject({
        preserve: lines().nullable().default(null).describe("What the model must keep; null: the built-in list."),
        drop: lines().nullable().default(null).describe("What the model is to leave out; null: the built-in list."),
        format: z.string().min(1).max(4_000).nullable().default(null).describe("The form asked for; null: built in."),
        instructions: z.string().max(4_000).default("").describe("What the model is told besides."),
      })
      .prefault({})
      .describe("The prompt of the compaction."),
  })
  .prefault({})
  .describe("How what leaves the context is summarised.");
