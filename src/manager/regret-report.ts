import { z } from "zod";
import { meanRate, needFactor, reneedRate } from "../regret/index.ts";
import type { Session } from "./session.ts";

const figures = {
  evicted_blocks: z.number().describe("Blocks that an edit took from the context, whole or in part."),
  regretted_blocks: z.number().describe("Of these, how many were needed again within ten turns."),
  rate: z.number().describe("Share of them, smoothed: what is expected of the next one."),
};

export const regretResult = z
  .object({
    ...figures,
    groups: z.array(
      z.object({
        tool_name: z.string().nullable(),
        block_type: z.string(),
        ...figures,
        need_factor: z.number().describe("How much more of this kind is needed again than of all: 0.5 to 2."),
      }),
    ),
  })
  .describe(
    "What was needed again after it had left the context, by tool and type of block; the most regretted first.",
  );

/** The session's regret in figures. */
export function reportRegret({ regret: { tally } }: Session): z.infer<typeof regretResult> {
  const groups = [...tally.groups.values()].map(({ toolName, type, evicted, regretted }) => ({
    tool_name: toolName,
    block_type: type,
    evicted_blocks: evicted,
    regretted_blocks: regretted,
    rate: reneedRate(tally, toolName, type),
    need_factor: needFactor(tally, toolName, type),
  }));
  return {
    evicted_blocks: tally.evicted,
    regretted_blocks: tally.regretted,
    rate: meanRate(tally),
    groups: groups.sort((a, b) => b.regretted_blocks - a.regretted_blocks || b.evicted_blocks - a.evicted_blocks),
  };
}
