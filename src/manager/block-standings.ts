import { z } from "zod";
import { findCandidates, scoringView, signalsOf } from "../eviction/index.ts";
import { type Block, COMPONENTS, componentOf } from "../model/block.ts";
import { blockTitle } from "./block-title.ts";
import type { Hook } from "./hook.ts";
import { nextPass } from "./outlook.ts";
import { evictionContext } from "./passes/pass-plan.ts";

export const signalResult = z.object({
  name: z.string(),
  value: z.number().nullable().describe("What was measured, 0 to 1; null where the policy does not weigh its signals."),
  weight: z.number().nullable().describe("Its share of the score; null as above."),
  part: z.number().describe("What it adds to the score; negative where it lowers it."),
});

/** How a live block stands with the policy in force. */
export const blockStanding = z.object({
  component: z.enum(COMPONENTS),
  title: z.string().describe("One line for people: tool and argument, or the first words."),
  score: z.number().nullable().describe("0: out first, 1: keep; null: no policy may take it, as a tool definition."),
  signals: z.array(signalResult).describe("What the score is made of: the parts sum to it."),
  rule: z.string().nullable().describe("What decided the score."),
  protected_by: z.string().nullable().describe("The first rule that protects it from a pass; null: none does."),
  rank: z
    .number()
    .nullable()
    .describe("1 goes first among the unprotected; null: protected, or nothing the policy does would take it."),
  goes_next: z.boolean().describe("The pass that is planned for the next turn takes it: session.get `next`."),
});

/**
 * How each live block stands, by id: score, protection, place in the order in which the policy would take them, and
 * whether the pass planned for the next turn does. Costs what planning a pass costs.
 */
export function standingsOf(hook: Hook): Map<string, z.infer<typeof blockStanding>> {
  const { session, services } = hook;
  const { scorer } = services;
  const context = evictionContext(hook, "normal");
  const { units, protection, merge } = context;
  const view = scoringView(context);
  const ranks = new Map<string, number>();
  for (const { block, unit } of findCandidates({ units, protection, merge, view }, scorer).ordered) {
    for (const { id } of block === null ? unit.blocks : [block]) if (!ranks.has(id)) ranks.set(id, ranks.size + 1);
  }
  const next = new Set(nextPass(hook)?.edits.flatMap(({ blockIds }) => blockIds));
  const named = (block: Block) => ({ component: componentOf(block.type), title: blockTitle(block.part, block.tool) });
  const standings = new Map<string, z.infer<typeof blockStanding>>();
  for (const tool of session.tools) {
    const fixed = { score: null, signals: [], rule: null, protected_by: "protected.tool_definition", rank: null };
    standings.set(tool.id, { ...named(tool), title: tool.tool?.name ?? "", ...fixed, goes_next: false });
  }
  for (const block of units.flatMap((unit) => unit.blocks)) {
    const { score, parts, rule } = scorer.score(block, view);
    standings.set(block.id, {
      ...named(block),
      score,
      signals: signalsOf(scorer, parts),
      rule,
      protected_by: protection.ruleOf(block.id),
      rank: ranks.get(block.id) ?? null,
      goes_next: next.has(block.id),
    });
  }
  return standings;
}
