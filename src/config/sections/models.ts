import { z } from "zod";
import { count } from "./quantities.ts";

const price = () => z.number().min(0).max(1_000_000);

/** Corrections and additions to the model catalogue; what an entry does not say stays as the catalogue has it. */
export const models = z
  .record(
    z.string().min(1).max(200),
    z.strictObject({
      provider: z
        .string()
        .min(1)
        .max(100)
        .exactOptional()
        .describe("Who serves it.")
        .meta({ examples: ["local"] }),
      encoding: z
        .enum(["o200k_base", "cl100k_base", "chars"])
        .exactOptional()
        .describe("Encoding its tokens are counted with; `chars`: four characters a token.")
        .meta({ examples: ["o200k_base"] }),
      exact: z
        .boolean()
        .exactOptional()
        .describe("Whether the encoding is the model's own; false: counts are calibrated by reported usage.")
        .meta({ examples: [false] }),
      context_window: count(1)
        .exactOptional()
        .describe("Its window, in tokens.")
        .meta({ examples: [32768] }),
      max_output_tokens: count(1)
        .exactOptional()
        .describe("Longest answer, in tokens.")
        .meta({ examples: [4096] }),
      prices: z
        .strictObject({
          input: price()
            .describe("A fresh input token.")
            .meta({ examples: [1] }),
          output: price()
            .describe("An output token.")
            .meta({ examples: [3] }),
          cache_read: price()
            .describe("An input token read from the prompt cache.")
            .meta({ examples: [0.1] }),
          cache_write: price()
            .describe("An input token written to the prompt cache.")
            .meta({ examples: [1.25] }),
        })
        .nullable()
        .exactOptional()
        .describe("USD for a million tokens; null: unknown.")
        .meta({ examples: [null] }),
    }),
  )
  .default({})
  .describe("Models by name: overrides of the catalogue, and models it does not know.");
