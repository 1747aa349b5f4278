import { z } from "zod";
import { path, properShare } from "./quantities.ts";

/** What is saved for the window that comes next. */
export const crossWindow = z
  .strictObject({
    state_file: path()
      .nullable()
      .default(null)
      .describe("JSON copy of the last checkpoint, for people. Not acted on before checkpoints are released."),
    progress_file: path()
      .nullable()
      .default(null)
      .describe("Markdown copy of the last checkpoint, for people. Not acted on before checkpoints are released."),
    auto_save_threshold: properShare()
      .default(0.85)
      .describe("Share of the window from which a checkpoint is saved. Not acted on before checkpoints are released."),
  })
  .prefault({})
  .describe("What is saved for the window that comes next.");
