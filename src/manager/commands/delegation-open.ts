import { z } from "zod";
import { messageFormats } from "../../messages/index.ts";
import { ContextdError } from "../../model/errors.ts";
import type { JsonObject } from "../../model/json.ts";
import { MESSAGE_FORMATS } from "../../model/message.ts";
import { childIdOf, followUpKey, nextDelegationId, openDelegations } from "../delegation.ts";
import type { Hook } from "../hook.ts";
import { command, json, mutating, parentResult, sessionId, wireMessage } from "./command.ts";
import { sessionOpen } from "./session-open.ts";

const text = z.string().max(1_000_000);
const SAYS_NOTHING = "must hold more than white space";
const texts = z.array(text).max(1000);

const taskResult = z.object({
  goal: z.string(),
  success_criteria: z.array(z.string()),
  constraints: z.array(z.string()).describe("The parent's, word for word, then those of the subtask."),
  files: z.array(z.string()),
  report_max_tokens: z.number().describe("A longer result is cut before it enters the parent's context."),
  prompt: z.string().describe("All of it as a text: the child's first message."),
});
type TaskSpec = z.infer<typeof taskResult>;

export const delegationOpen = command({
  name: "delegation.open",
  summary: "Hands a subtask to a session with a window of its own: opens it, with task and budget.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    title: z.string().regex(/\S/, SAYS_NOTHING).max(200).describe("The subtask in a few words."),
    goal: text.regex(/\S/, SAYS_NOTHING).describe("What the child is to do, in words that stand alone."),
    success_criteria: texts.default([]),
    constraints: texts.default([]).describe("Beside those of the parent's task, which always hold."),
    files: z.array(z.string().min(1).max(4096)).max(1000).default([]).describe("What the child should look at first."),
    budget_tokens: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe("Tokens that the child may take in; default: `delegation.budget_share` of the parent's window."),
    child_session_id: sessionId.optional().describe("Chosen by the daemon when absent."),
    child: z
      .strictObject({
        agent: z.string().max(256).optional(),
        profile: z.string().max(128).optional(),
        model: z.string().max(256).optional(),
        message_format: z.enum(MESSAGE_FORMATS).optional(),
        max_context_tokens: z.number().int().min(256).optional(),
        system: json.optional(),
        tools: z.array(wireMessage).max(4096).optional(),
      })
      .default({})
      .describe("As in session.open; what is absent is as the parent has it, but for system prompt and tools."),
  }),
  result: z.object({
    delegation_id: z.string(),
    child_session_id: z.string(),
    budget: z.object({
      parent: z.object({
        max_tokens: z.number(),
        delegated_tokens: z.number().describe("What all children of open delegations may take in, this one's too."),
        result_max_tokens: z.number().describe("Most that the result will take of the parent's window."),
      }),
      child: z.object({ budget_tokens: z.number(), max_tokens: z.number().nullable() }),
    }),
    task: taskResult,
    labels: z
      .object({
        agent: z.string(),
        profile: z.string(),
        model: z.string(),
        message_format: z.enum(MESSAGE_FORMATS),
        parent: parentResult,
      })
      .describe("What the child is opened with."),
    child: z.unknown().describe("The reply of the child's session.open."),
  }),
  async prepare({ peer, checkProfile }, session, params) {
    const { child } = params;
    const format = messageFormats[child.message_format ?? session.format];
    if (child.system !== undefined) format.splitSystem(child.system, "child.system");
    for (const [index, tool] of (child.tools ?? []).entries()) format.splitTool(tool, `child.tools[${index}]`);
    if (child.profile !== undefined) refuseUnknownProfile(child.profile, checkProfile);
    const childId = params.child_session_id ?? childIdOf(session.key.id, nextDelegationId(session));
    if (await peer(childId)) {
      throw new ContextdError(
        "session_exists",
        `There is a session ${childId.slice(0, 80)} already: choose another child_session_id.`,
        { path: "child_session_id" },
      );
    }
    return childId;
  },
  decide(hook, params, { prepared: childId }) {
    const { session, services } = hook;
    const settings = services.settings.delegation;
    const { child } = params;
    const open = openDelegations(session);
    const depth = (session.parent?.depth ?? 0) + 1;
    refuseBeyondLimits(hook, open.length, depth);
    const delegationId = nextDelegationId(session);
    const budgetTokens = params.budget_tokens ?? Math.max(1, Math.floor(settings.budget_share * session.maxTokens));
    hook.emit("delegation.opened", {
      delegation_id: delegationId,
      child_session_id: childId,
      title: params.title,
      budget_tokens: budgetTokens,
      depth,
      turn: session.turn,
    });
    // Another model has another window, unless one is named.
    const window = child.max_context_tokens ?? (child.model === undefined ? session.maxTokens : null);
    return {
      delegation_id: delegationId,
      child_session_id: childId,
      budget: {
        parent: {
          max_tokens: session.maxTokens,
          delegated_tokens: open.reduce((sum, [, each]) => sum + each.budgetTokens, budgetTokens),
          result_max_tokens: settings.result_max_tokens,
        },
        child: { budget_tokens: budgetTokens, max_tokens: window },
      },
      task: taskOf(params, session.task?.constraints ?? [], settings.result_max_tokens),
      labels: {
        agent: child.agent ?? session.agent,
        profile: child.profile ?? session.profile,
        model: child.model ?? session.model,
        message_format: child.message_format ?? session.format,
        parent: { session_id: session.key.id, delegation_id: delegationId, depth, budget_tokens: budgetTokens },
      },
      child: null as unknown,
    };
  },
  follow(
    { session_id: parentId, child: { system, tools } },
    { delegation_id, child_session_id, task, labels, budget },
  ) {
    const window = budget.child.max_tokens;
    const { goal, success_criteria, constraints } = task;
    const params = sessionOpen.params.parse({
      session_id: child_session_id,
      idempotency_key: followUpKey(parentId, delegation_id, "open"),
      ...labels,
      ...(window === null ? {} : { max_context_tokens: window }),
      task: { goal, success_criteria, constraints },
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    });
    return { command: sessionOpen, params: params as unknown as JsonObject, tolerates: [] };
  },
  join: (stored, child) => ({ ...stored, child }),
});

/** Names the place in this call: the check itself knows a session's own profile only. */
function refuseUnknownProfile(profile: string, check: (profile: string) => void): void {
  try {
    check(profile);
  } catch (error) {
    if (!(error instanceof ContextdError)) throw error;
    throw new ContextdError(error.reason, `child.${error.message}`, { ...error.data, path: "child.profile" });
  }
}

function refuseBeyondLimits({ services }: Hook, open: number, depth: number): void {
  const { max_open, max_depth } = services.settings.delegation;
  if (depth > max_depth) {
    throw new ContextdError(
      "budget_exceeded",
      `A delegation here would be ${depth} below its first session, delegation.max_depth is ${max_depth}: do the subtask in this session.`,
      { depth, max_depth },
    );
  }
  if (open >= max_open) {
    throw new ContextdError(
      "budget_exceeded",
      `The session has ${open} open delegations, delegation.max_open is ${max_open}: close one with delegation.close first.`,
      { open, max_open },
    );
  }
}

interface Subtask {
  readonly goal: string;
  readonly success_criteria: readonly string[];
  readonly constraints: readonly string[];
  readonly files: readonly string[];
}

function taskOf(params: Subtask, inherited: readonly string[], reportTokens: number): TaskSpec {
  const constraints = [...new Set([...inherited, ...params.constraints])];
  const spec = {
    goal: params.goal,
    success_criteria: [...params.success_criteria],
    constraints,
    files: [...params.files],
    report_max_tokens: reportTokens,
  };
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [[title, ...items.map((item) => `- ${item}`)].join("\n")];
  const prompt = [
    params.goal,
    ...list("It is done when:", spec.success_criteria),
    ...list("These rules hold:", constraints),
    ...list("Look at these first:", spec.files),
    `Report in at most ${reportTokens} tokens: what you found or did, with exact names, paths, numbers and error texts; what you decided and why; what is left open. Whoever reads it sees nothing else of your work.`,
  ].join("\n\n");
  return { ...spec, prompt };
}
