import { z } from "zod";
import { count, share } from "./quantities.ts";

/** How much of what a pass takes out the context must still tell. */
export const fidelity = z
  .strictObject({
    enabled: z
      .boolean()
      .default(true)
      .describe("Whether each pass is judged by what the context can still tell after it."),
    judge: z
      .enum(["lexical", "llm"])
      .default("lexical")
      .describe(
        "Who judges: `lexical` looks for the facts themselves, within the pass; `llm` asks the model of `llm.judge` " +
          "besides, in the background.",
      ),
    floor: share()
      .default(0.6)
      .describe("A summary that keeps less than this share is rolled back, and the next method is tried; 0: none is."),
    probes_per_type: count(1, 20)
      .default(5)
      .describe("Most facts of one type that a pass is asked for: decisions, files, errors and so on."),
  })
  .prefault({})
  .describe("How much of what a pass takes out the context must still tell.");
