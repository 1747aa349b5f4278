import type { Budget } from "../budget/index.ts";
import { EVICTION, largestSubtask } from "../compression/index.ts";
import type { EventData } from "../model/events.ts";
import { passageOf } from "../model/passage.ts";
import type { Hook } from "./hook.ts";
import type { Session } from "./session.ts";

/** Tools named in an advice. */
const TOOLS_NAMED = 5;
/** Tools named in its sentence. */
const TOOLS_IN_SENTENCE = 3;

interface ToolSize {
  readonly tool: string;
  readonly tokens: number;
}

/** A task for another agent: what `delegation.open` takes. */
interface Subtask {
  readonly title: string;
  readonly goal: string;
  readonly files: readonly string[];
  /** What the context holds of it. */
  readonly tokens: number;
  readonly units: number;
}

/** What the agent or its operator could do that contextd cannot. */
export type Advice =
  | {
      readonly kind: "floor";
      readonly sentence: string;
      readonly floor: EventData["floor.detected"];
      /** The tools whose definitions are the biggest, in uncalibrated tokens. */
      readonly tools: readonly ToolSize[];
    }
  | { readonly kind: "tool_definitions"; readonly sentence: string; readonly tools: readonly ToolSize[] }
  | { readonly kind: "delegate"; readonly sentence: string; readonly subtask: Subtask }
  | {
      readonly kind: "delegation_budget";
      readonly sentence: string;
      readonly budget_tokens: number;
      readonly used_tokens: number;
    };

export function adviceOf(hook: Hook, budget: Budget, floor: EventData["floor.detected"] | null): Advice[] {
  const advice: Advice[] = [];
  const tools = biggestTools(hook.session);
  if (floor) advice.push({ kind: "floor", sentence: floorSentence(floor, tools), floor, tools });
  const definitions = budget.tool_definitions;
  if (definitions.state === "hard") {
    advice.push({
      kind: "tool_definitions",
      sentence: `Tool definitions hold ${definitions.used_tokens} tokens, over their budget of ${definitions.hard_limit_tokens}: offer fewer tools at a time.`,
      tools,
    });
  }
  const delegate = delegateAdvice(hook);
  if (delegate) advice.push(delegate);
  const overspent = overspentAdvice(hook.session);
  if (overspent) advice.push(overspent);
  return advice;
}

/**
 * Where the cascade came to its last step and still could not free enough: what another agent could do in a window of its
 * own.
 */
function delegateAdvice({ session, services, events }: Hook): Advice | null {
  const fellShort = events.some(({ type }) => type === "compaction.failed");
  if (!fellShort || !services.cascade.some(({ method }) => method !== EVICTION && method.name === "sub_agent"))
    return null;
  const units = [...session.units.values()].map(({ id, tokens, blocks }) => ({
    unitId: id,
    tokens,
    passages: blocks.map(passageOf),
  }));
  const open = session.taskState.subtasks.filter(({ status }) => status === "planned" || status === "in_progress");
  const found = largestSubtask(
    units,
    open.map(({ title }) => title),
  );
  if (found === null) return null;
  const { title, goal, files, tokens, units: held } = found;
  return {
    kind: "delegate",
    sentence: `What must stay fills the window: "${title}" (${tokens} tokens in ${held.length} units) stands alone enough to be another agent's task; open it with delegation.open.`,
    subtask: { title, goal, files, tokens, units: held.length },
  };
}

/** A child session that has taken in more than its parent meant it to. */
function overspentAdvice({ parent, tokensArrived }: Session): Advice | null {
  if (parent === null || tokensArrived <= parent.budget_tokens) return null;
  return {
    kind: "delegation_budget",
    sentence: `This delegated task has taken in ${tokensArrived} tokens, its budget is ${parent.budget_tokens}: finish, and report what you have.`,
    budget_tokens: parent.budget_tokens,
    used_tokens: tokensArrived,
  };
}

/** Costs what the session has of tools, whatever its context holds. */
function biggestTools({ tools }: Session): ToolSize[] {
  return tools
    .map(({ tool, tokens }) => ({ tool: tool?.name ?? "", tokens }))
    .filter(({ tool, tokens }) => tool !== "" && tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .slice(0, TOOLS_NAMED);
}

/** What could be made smaller, the largest part first. */
function floorSentence(floor: EventData["floor.detected"], tools: readonly ToolSize[]): string {
  const biggest = tools.slice(0, TOOLS_IN_SENTENCE).map(({ tool, tokens }) => `${tool} ${tokens}`);
  const cures = [
    { tokens: floor.system_tokens, cure: `shorten the system prompt (${floor.system_tokens} tokens)` },
    {
      tokens: tools.length === 0 ? 0 : floor.tools_tokens,
      cure: `offer fewer tools (${floor.tools_tokens} tokens; the biggest: ${biggest.join(", ")})`,
    },
    { tokens: floor.protected_tokens, cure: `pin less and take smaller steps (${floor.protected_tokens} tokens)` },
  ];
  const named = cures
    .filter(({ tokens }) => tokens > 0)
    .sort((a, b) => b.tokens - a.tokens)
    .map(({ cure }) => cure);
  const whole = `${floor.floor_tokens} of ${floor.max_tokens} tokens cannot be freed, the room for the answer included`;
  return `${whole}: ${[...named, "use a larger window"].join(", or ")}.`;
}
