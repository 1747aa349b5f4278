import { z } from "zod";
import { properShare } from "./quantities.ts";

/** What is kept in view of rules, task and the agent's notes. */
export const notes = z
  .strictObject({
    share: properShare()
      .default(0.06)
      .describe(
        "Most that rules, task state and notes may take in the context, as a share of the window; " +
          "notes over it stay in note.list, rules and the goal are shown whatever they take.",
      ),
  })
  .prefault({})
  .describe("What is kept in view of rules, task and the agent's notes.");
