import { z } from "zod";
import { path, properShare } from "./quantities.ts";

/** Longest time to live of a checkpoint: ten years. */
const MOST_HOURS = 87_600;

/** What is saved for the window that comes next. */
export const crossWindow = z
  .strictObject({
    enabled: z
      .union([z.literal("auto"), z.boolean()])
      .default("auto")
      .describe(
        "Whether a window that compaction cannot bring down is closed, and the next one opened from a checkpoint; `auto`: with every policy that edits.",
      ),
    state_file: path()
      .nullable()
      .default(null)
      .describe(
        "JSON copy of each session's last checkpoint, for people: `state.json` names `state.<session>.json`, and so on. " +
          "Of the config and its profiles only: what a session sets for itself is not acted on.",
      ),
    progress_file: path()
      .nullable()
      .default(null)
      .describe(
        "Markdown copy of each session's last checkpoint, for people: `progress.md` names `progress.<session>.md`, and " +
          "so on. Of the config and its profiles only.",
      ),
    auto_save_threshold: properShare().default(0.85).describe("Share of the window from which a checkpoint is saved."),
    checkpoint_ttl_hours: z
      .number()
      .min(0)
      .max(MOST_HOURS)
      .default(720)
      .describe(
        "Hours for which a checkpoint may be loaded after it was saved; 30 days, after which what it says of files and " +
          "branches is rarely so any more. 0: it never expires.",
      ),
    bootstrap_share: properShare()
      .default(0.1)
      .describe("Most that the prompt with which a new window begins may take, as a share of the window."),
  })
  .superRefine(({ state_file, progress_file }, context) => {
    if (state_file === null || state_file !== progress_file) return;
    context.addIssue({
      code: "custom",
      path: ["progress_file"],
      message: "is the file of cross_window.state_file: name another one, or one of them would replace the other",
    });
  })
  .prefault({})
  .describe("What is saved for the window that comes next.");
