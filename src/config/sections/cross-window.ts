import { z } from "zod";
import { path, properShare } from "./quantities.ts";

/** What is saved for the window that comes next. */
export const crossWindow = z
  .strictObject({
    enabled: z
      .union([z.literal("auto"), z.boolean()])
      .default("auto")
      .describe(
        "Whether a window that compaction cannot bring down is closed, and the next one opened from a checkpoint; `auto`: with every policy that edits.",
      ),
    state_file: path().nullable().default(null).describe("JSON copy of the last checkpoint, for people."),
    progress_file: path().nullable().default(null).describe("Markdown copy of the last checkpoint, for people."),
    auto_save_threshold: properShare().default(0.85).describe("Share of the window from which a checkpoint is saved."),
    checkpoint_ttl_hours: z
      .number()
      .min(0)
      .max(87_600)
      .default(720)
      .describe("How long a checkpoint can be loaded, hours; 0: for ever."),
    bootstrap_share: properShare()
      .default(0.1)
      .describe("Most that the text which a window begins with may take, as a share of the window."),
  })
  .prefault({})
  .describe("What is saved for the window that comes next.");
