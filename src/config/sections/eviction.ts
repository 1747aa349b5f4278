import { z } from "zod";
import { BLOCK_TYPES } from "../../model/block.ts";
import { count, properShare, share } from "./quantities.ts";

export const DEFAULT_POLICY = "fifo";

const weight = () => z.number().min(0).max(1000);
const lifetime = () => z.number().gt(0).max(1_000_000).nullable();

const weights = z
  .strictObject({
    recency: weight().default(0.3).describe("Weight of how lately the block arrived or was used."),
    priority: weight().default(0.25).describe("Weight of source, markers and nearness to the task."),
    type_ttl: weight().default(0.2).describe("Weight of what is left of the type's lifetime."),
    reference_freq: weight().default(0.15).describe("Weight of how often later turns used the block."),
    semantic_duplication: weight().default(0.1).describe("Weight of how little newer blocks repeat it."),
  })
  .superRefine((weights, context) => {
    if (Object.values(weights).some((value) => value > 0)) return;
    context.addIssue({ code: "custom", message: "must hold at least one weight above 0" });
  })
  .prefault({})
  .describe("Shares of the signals in the `hybrid` score, relative to one another.");

const typeTtl = z
  .strictObject({
    tool_result: lifetime().default(8).describe("Lifetime of a tool result, in turns; output goes stale quickly."),
    thinking: lifetime().default(2).describe("Lifetime of thinking, in turns; it serves the step at hand."),
    memory_injection: lifetime().default(20).describe("Lifetime of an injected memory, in turns."),
    assistant_response: lifetime().default(30).describe("Lifetime of the assistant's own words, in turns."),
    user_message: lifetime().default(null).describe("Lifetime of what the user said, in turns; rules do not age."),
    summary: lifetime().default(null).describe("Lifetime of a summary, in turns."),
    note: lifetime().default(null).describe("Lifetime of the agent's own note, in turns."),
  })
  .prefault({})
  .describe("Turns after which a block of the type has no value of its own; null: it never expires.");

/** What leaves the context first, and what never does. `policies` are the names a config may choose from. */
export const eviction = (policies: readonly string[]) =>
  z
    .strictObject({
      policy: z
        .enum(policies)
        .default(DEFAULT_POLICY)
        .describe("Scorer that ranks what goes first; plug-ins add names."),
      options: z
        .record(z.string(), z.json())
        .default({})
        .describe("The policy's own options, checked by the policy; another policy starts from none."),
      weights,
      type_ttl: typeTtl,
      protected_types: z
        .array(z.enum(BLOCK_TYPES))
        .default(["system_prompt", "tool_definition"])
        .describe("Block types that are never evicted, beside what the rules always protect."),
      keep_recent_units: count(0, 10_000)
        .default(3)
        .describe("Newest units that are not touched: what the agent is working with; the newest one never is."),
      keep_recent_tokens: share()
        .default(0.03)
        .describe("Share of the window that the newest units may take to be kept, the newest one aside."),
      keep_user_tokens: share()
        .default(0.1)
        .describe("Share of the window within which the newest user messages stay verbatim and go last."),
      target_utilization: z
        .union([z.literal("auto"), properShare()])
        .default("auto")
        .describe("Share of the window that a pass goes down to; `auto`: 0.65 of the orange threshold."),
      min_tokens_freed: count()
        .default(256)
        .describe("Tokens a pass must free to be worth breaking the provider's prompt cache."),
      min_turns_between_edits: count(0, 10_000).default(0).describe("Turns between two passes below red."),
      merge: z
        .strictObject({
          enabled: z
            .boolean()
            .default(true)
            .describe("Whether near-duplicates become a pointer and their differences."),
          threshold: properShare().default(0.85).describe("Similarity (cosine) from which two blocks are merged."),
        })
        .prefault({})
        .describe("Merging of near-duplicate blocks."),
      gate: z
        .strictObject({
          expected_remaining_turns: count(1, 100_000)
            .default(20)
            .describe("Turns over which an early edit must pay back the prompt cache it breaks."),
        })
        .prefault({})
        .describe("Break-even check of edits made before they are forced."),
    })
    .prefault({})
    .describe("What leaves the context first, and what never does.");
