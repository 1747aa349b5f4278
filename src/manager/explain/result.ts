import { z } from "zod";
import { BLOCK_STATES, BLOCK_TYPES, COMPONENTS } from "../../model/block.ts";
import { EDIT_METHODS } from "../../model/events.ts";
import { PROBE_TYPES } from "../../model/probe.ts";
import { ZONES } from "../../model/zone.ts";

const tokens = z.number().describe("Uncalibrated tokens.");
const zone = z.enum(ZONES).nullable();

const outlined = z.object({
  block_id: z.string(),
  type: z.enum(BLOCK_TYPES),
  component: z.enum(COMPONENTS),
  tool_name: z.string().nullable(),
  title: z.string().describe("What it is, in one line: a call with the argument that says most, else its first words."),
  turn: z.number().describe("Turn of arrival."),
  tokens,
  state: z.enum(BLOCK_STATES),
});

const taken = z.object({
  block_id: z.string(),
  handle: z.string().describe("Brings the original back: content.recall."),
  type: z.enum(BLOCK_TYPES),
  component: z.enum(COMPONENTS),
  tool_name: z.string().nullable(),
  title: z.string(),
  arrived_turn: z.number(),
  tokens_before: tokens,
  tokens_after: tokens,
  method: z.enum(EDIT_METHODS),
  policy: z.string().nullable().describe("null: a step of the cascade, or the end of a window, chose it."),
  rule: z.string(),
  score: z
    .number()
    .nullable()
    .describe("What the policy held it to be worth, 0 (out first) to 1; of a unit their mean."),
  signals: z
    .array(
      z.object({
        name: z.string(),
        value: z.number().nullable().describe("What the signal said; null: not known."),
        weight: z.number().nullable().describe("Its share of the score; null: it is no weighted sum, or not known."),
        part: z.number().describe("What it brought into the score."),
      }),
    )
    .describe("The parts of the score."),
  generation: z.number().nullable().describe("How many times its content has been folded; null: nothing of it stands."),
  into_block_id: z.string().nullable().describe("Of a merge: the block that holds the same."),
  lines_kept: z.number().describe("Rows of the ledger that came from it, as the pass left the ledger."),
  regret: z
    .array(
      z.object({
        kind: z.enum(["recall", "identifier", "reread"]),
        turn: z.number(),
        turns_since: z.number(),
        identifier: z.string().nullable().describe("The identifier that was used; null: the need was another."),
        line: z.number().nullable().describe("Line of the original that holds it, from 1."),
        need: z
          .number()
          .nullable()
          .describe("Expected weight of the needs it would meet, when a ledger was last chosen; null: not estimated."),
        cut_off: z
          .number()
          .nullable()
          .describe("The lowest need among the lines that were carried over then; null: none was left out."),
      }),
    )
    .describe("How it was needed again within ten turns."),
});

const figures = z.object({
  read_price: z.number(),
  write_price: z.number(),
  tokens_freed: z.number(),
  tokens_rewritten: z.number(),
  expected_remaining_turns: z.number(),
  saving: z.number(),
  cost: z.number(),
  decided: z.boolean(),
});

const ledger = z.object({
  lines: z.number(),
  candidates: z.number().describe("Hidden lines that were scored."),
  tokens_before: tokens,
  tokens_after: tokens,
  cut_off: z.number().nullable().describe("The lowest need among its lines; null: no other was left out."),
  entries: z
    .array(
      z.object({
        segment: z.enum(["stable", "fresh"]),
        text: z.string(),
        need: z.number().nullable().describe("Expected weight of the needs that it meets, when it was chosen."),
        block_id: z.string().nullable().describe("The newest block that held it when it was chosen."),
        line: z.number().nullable().describe("Its number in that block's original text, from 1; null: no line of it."),
      }),
    )
    .describe("Its rows as the pass left them."),
});

const summary = z.object({
  summarizer: z.enum(["llm", "extractive"]),
  generation: z.number(),
  passages: z.number().describe("Blocks that were folded into it."),
  facts: z.number(),
  tokens_before: tokens,
  tokens_after: tokens,
  text: z.string().nullable(),
});

const standing = z.object({
  notes: z.number(),
  constraints: z.number(),
  left_out: z.number(),
  tokens_before: tokens,
  tokens_after: tokens,
  text: z.string().nullable(),
});

/** The answer of `pass.explain`. */
export const explanationResult = z.object({
  pass_id: z.string(),
  turn: z.number(),
  position: z.number().describe("Of the call in the journal."),
  at: z.number().describe("Milliseconds since the epoch."),
  window_number: z.number(),
  cause: z.string(),
  strategy: z.string(),
  policy: z.string().nullable().describe("The eviction policy that chose what went; null: none did."),
  summarizer: z.enum(["none", "extractive", "llm"]),
  waited_ms: z.number(),
  max_tokens: z.number().describe("Size of the window then."),
  thresholds: z.object({ yellow: z.number(), orange: z.number(), red: z.number() }).describe("Shares of that window."),
  recorded: z
    .boolean()
    .describe(
      "Thresholds and weights are those of the pass; false: an earlier version made it, they are those in force now.",
    ),
  tokens_before: z.number().describe("Of the context, as the provider counts them; so are the next two."),
  tokens_after: z.number(),
  target_tokens: z.number(),
  zone_before: zone.describe("As last measured; null: it had not been."),
  zone_after: zone.describe("As measured next, or by the thresholds where another pass followed at once."),
  turns_until_red_before: z.number().nullable(),
  considered: z
    .object({ blocks: z.number(), tokens })
    .nullable()
    .describe("What nothing protected; null: not counted."),
  taken: z.array(taken).describe("Its edits, in their order."),
  carried: z
    .object({ ledger: ledger.nullable(), summary: summary.nullable(), standing: standing.nullable() })
    .describe("What the pass wrote anew of contextd's own; null: it left it as it was, or there is none."),
  before: z.array(outlined).describe("The context just before, in the order of the prompt, tool definitions first."),
  after: z.array(outlined).describe("The same just after."),
  kept_prefix_tokens: tokens.describe("Uncalibrated tokens before the first place that changed."),
  tokens_rewritten: tokens.describe("Uncalibrated tokens behind it, as they stand after the pass."),
  gate: figures.nullable().describe("What was compared before; null: a pass that is not weighed, as a window's end."),
  shallower: figures
    .nullable()
    .describe("The same of a pass half as deep; null also where that would have taken as much."),
  fidelity: z
    .object({
      score: z.number(),
      generation: z.number(),
      probes: z.number(),
      kept: z.number(),
      floor: z.number(),
      below_floor: z.boolean(),
      by_type: z.partialRecord(z.enum(PROBE_TYPES), z.number()),
      judge: z.enum(["lexical", "llm"]),
    })
    .nullable()
    .describe("The last judgement of the pass; null: it was not judged."),
  payback: z
    .object({
      points: z.array(
        z.object({
          turn: z.number(),
          forecast: z.number().describe("By the gate's figures."),
          measured: z.number().nullable().describe("By what the provider reported; null: it did not, or not yet."),
        }),
      ),
      unit: z.literal("fresh input tokens"),
      paid_back_turn: z.number().nullable().describe("The first turn whose measured balance is not below 0."),
    })
    .nullable()
    .describe("What the pass has saved less what it cost, added up turn by turn; null without the gate's figures."),
  previous_pass_id: z.string().nullable(),
  next_pass_id: z.string().nullable(),
});

export type Explanation = z.infer<typeof explanationResult>;
