import { z } from "zod";
import { properShare, share } from "./quantities.ts";

/** What is carried over of evicted text: whole lines that are likely to be needed again. */
export const ledger = z
  .strictObject({
    enabled: z
      .union([z.literal("auto"), z.boolean()])
      .default("auto")
      .describe("Whether a pass carries lines over; `auto`: with policies that free in batches."),
    share: properShare()
      .default(0.45)
      .describe("Most the ledger may take, as a share of the tokens at which orange begins."),
    stable_share: share()
      .default(0.75)
      .describe("Share of the ledger that stays as it is from pass to pass, so that the prompt cache holds it."),
    refresh_below: share()
      .default(0.45)
      .describe("The stable part is chosen anew when it covers less than this share of what a new one would."),
    least_need: z
      .number()
      .min(0)
      .max(1_000_000)
      .default(1.8)
      .describe("Rows stay out unless a window full of such rows would be expected to meet this many needs."),
  })
  .prefault({})
  .describe("What is carried over of evicted text: whole lines that are likely to be needed again.");
