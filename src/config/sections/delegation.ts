import { z } from "zod";
import { count, properShare } from "./quantities.ts";

/** Subtasks that an agent hands to sessions with windows of their own. */
export const delegation = z
  .strictObject({
    result_max_tokens: count(16, 1_000_000)
      .default(2000)
      .describe("Most a child's result may take in the context of its parent; a longer one is cut to head and tail."),
    budget_share: properShare()
      .default(0.5)
      .describe("Tokens a child may take in, as a share of the parent's window, where the parent names no budget."),
    max_open: count(1, 1000).default(8).describe("Most delegations that a session may have open at a time."),
    max_depth: count(0, 16).default(3).describe("Most delegations below one another; 0: sessions delegate nothing."),
  })
  .prefault({})
  .describe("Subtasks that an agent hands to sessions with windows of their own.");
