import type { Budget } from "../budget/index.ts";
import type { EventData } from "../model/events.ts";
import { tallyTools } from "./budgets.ts";
import type { Hook } from "./hook.ts";

/** Tools named in an advice. */
const TOOLS_NAMED = 5;

/** What the agent or its operator could do that contextd cannot. */
export type Advice =
  | { readonly kind: "floor"; readonly sentence: string; readonly floor: EventData["floor.detected"] }
  | {
      readonly kind: "tool_definitions";
      readonly sentence: string;
      readonly tools: readonly { readonly tool: string; readonly tokens: number }[];
    };

export function adviceOf(hook: Hook, budget: Budget, floor: EventData["floor.detected"] | null): Advice[] {
  const advice: Advice[] = [];
  if (floor) {
    advice.push({
      kind: "floor",
      sentence: `${floor.floor_tokens} of ${floor.max_tokens} tokens cannot be freed: shorten the system prompt, offer fewer tools, or use a larger window.`,
      floor,
    });
  }
  const definitions = budget.tool_definitions;
  if (definitions.state === "hard") {
    const tools = tallyTools(hook.session)
      .byTool()
      .filter((tool) => tool.definition_tokens > 0)
      .sort((a, b) => b.definition_tokens - a.definition_tokens)
      .slice(0, TOOLS_NAMED)
      .map((tool) => ({ tool: tool.tool, tokens: tool.definition_tokens }));
    advice.push({
      kind: "tool_definitions",
      sentence: `Tool definitions hold ${definitions.used_tokens} tokens, over their budget of ${definitions.hard_limit_tokens}: offer fewer tools at a time.`,
      tools,
    });
  }
  return advice;
}
