import { COMPONENTS, type Component } from "../model/block.ts";
import type { Budget } from "./assess.ts";
import type { ToolTokens } from "./attribution.ts";

/**
 * What a strict budget demands of a component over its hard limit. `refuse`: the content is not taken in;
 * `advise`: the agent is told which tools are the biggest; the others are done by the pass that follows.
 */
export type Enforcement =
  | { readonly component: "system_prompt"; readonly decision: "refuse"; readonly over_tokens: number }
  | {
      readonly component: "tool_definitions";
      readonly decision: "advise";
      readonly over_tokens: number;
      readonly biggest: readonly { readonly tool: string; readonly tokens: number }[];
    }
  | { readonly component: "message_history"; readonly decision: "cascade"; readonly over_tokens: number }
  | { readonly component: "tool_results"; readonly decision: "summarise_then_evict"; readonly over_tokens: number }
  | { readonly component: "memory_injection"; readonly decision: "evict_memory"; readonly over_tokens: number }
  | { readonly component: "output_reserved"; readonly decision: "emergency"; readonly over_tokens: number };

/** Tools that an advice names. */
const TOOLS_NAMED = 5;

/**
 * The demands of `budget.enforcement`: none when it is `global` (components are tracked, and acted on in total),
 * one for each component over its hard limit when it is `strict`, in the order of the components.
 *
 * @param tools tokens by tool, for the advice; see `ToolTally.byTool`.
 */
export function enforce(
  mode: "global" | "strict",
  budget: Budget,
  tools: readonly Pick<ToolTokens, "tool" | "definition_tokens">[],
): Enforcement[] {
  if (mode === "global") return [];
  return COMPONENTS.filter((component) => budget[component].state === "hard").map((component) =>
    demandOf(component, overBy(budget, component), tools),
  );
}

function overBy(budget: Budget, component: Component): number {
  const { projected_tokens, hard_limit_tokens } = budget[component];
  return component === "output_reserved" ? projected_tokens : projected_tokens - hard_limit_tokens;
}

function demandOf(
  component: Component,
  over_tokens: number,
  tools: readonly Pick<ToolTokens, "tool" | "definition_tokens">[],
): Enforcement {
  switch (component) {
    case "system_prompt":
      return { component, decision: "refuse", over_tokens };
    case "tool_definitions":
      return { component, decision: "advise", over_tokens, biggest: biggestDefinitions(tools) };
    case "message_history":
      return { component, decision: "cascade", over_tokens };
    case "tool_results":
      return { component, decision: "summarise_then_evict", over_tokens };
    case "memory_injection":
      return { component, decision: "evict_memory", over_tokens };
    case "output_reserved":
      return { component, decision: "emergency", over_tokens };
  }
}

function biggestDefinitions(tools: readonly Pick<ToolTokens, "tool" | "definition_tokens">[]) {
  return tools
    .filter((each) => each.definition_tokens > 0)
    .sort((a, b) => b.definition_tokens - a.definition_tokens || (a.tool < b.tool ? -1 : 1))
    .slice(0, TOOLS_NAMED)
    .map((each) => ({ tool: each.tool, tokens: each.definition_tokens }));
}
