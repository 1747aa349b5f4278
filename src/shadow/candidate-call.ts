import { mergeSettings } from "../config/index.ts";
import type { commands } from "../manager/commands/index.ts";
import { resultContent } from "../manager/reply.ts";
import type { Session } from "../manager/session.ts";
import { messageFormats } from "../messages/index.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { textOf } from "../model/part.ts";
import { promptOverhead } from "../tokens/index.ts";
import { type Arrived, dataOf, type FollowedCall } from "./followed-call.ts";

/** A call on the candidate's session. */
export interface CandidateCall {
  readonly command: keyof typeof commands;
  readonly params: JsonObject;
}

/** What the candidate's calls are made with. */
export interface CandidateView {
  /** Its settings, over those of the live session. */
  readonly settings: JsonObject;
  /** The live session after the call. */
  readonly live: Session;
  /** The candidate's own session before the call; null before it is opened. */
  readonly own: Session | null;
  /** The candidate's id of a block of the live session, where it has it in its context. */
  readonly ownBlock: (liveBlockId: string) => string | null;
}

/**
 * What a call on the live session is to the candidate's: the same content as it came, without what was answered to it,
 * and without idempotency keys and revisions. null: nothing that would reach it. What the provider or the agent
 * reported of the live context is scaled to the candidate's own.
 */
export function candidateCall(call: FollowedCall, view: CandidateView): CandidateCall | null {
  const translate = TRANSLATIONS[call.hook] ?? appended;
  return translate(call, view);
}

type Translation = (call: FollowedCall, view: CandidateView) => CandidateCall | null;

const TRANSLATIONS: Readonly<Record<string, Translation>> = {
  "session.open": opened,
  on_turn_start: (call, view) => ({
    command: "on_turn_start",
    params: { messages: wireMessages(call, view), reply: "decision", ...reportedSize(call, view) },
  }),
  on_turn_end: (call, view) => {
    const [message] = wireMessages(call, view);
    const [ended] = dataOf(call, "turn.ended");
    if (message === undefined) return null;
    const reason = ended?.stop_reason ?? null;
    return {
      command: "on_turn_end",
      params: { message, ...(reason === null ? {} : { stop_reason: reason }), ...usage(call, view) },
    };
  },
  on_tool_result: (call) => {
    const block = call.arrived[0]?.blocks[0];
    if (block?.part.kind !== "tool_result") return null;
    const { callId, isError } = block.part;
    return {
      command: "on_tool_result",
      params: {
        tool_call_id: callId,
        tool_name: block.toolName,
        content: resultContent(block.part),
        is_error: isError,
      },
    };
  },
  "context.append": appended,
  "context.pin": (call, view) => pinning("context.pin", dataOf(call, "block.pinned"), view),
  "context.unpin": (call, view) => pinning("context.unpin", dataOf(call, "block.unpinned"), view),
  "session.configure": (call, { settings }) => {
    const [configured] = dataOf(call, "session.configured");
    if (configured === undefined) return null;
    return { command: "session.configure", params: { settings: mergeSettings(configured.settings, settings) } };
  },
};

function opened(call: FollowedCall, view: CandidateView): CandidateCall | null {
  const [data] = dataOf(call, "session.opened");
  if (data === undefined) return null;
  const [system] = wireMessages(call, view);
  return {
    command: "session.open",
    params: {
      agent: data.agent,
      profile: data.profile,
      model: data.model,
      message_format: data.message_format,
      max_context_tokens: view.settings["max_context_tokens"] ?? data.max_context_tokens,
      can_recall: data.can_recall,
      settings: mergeSettings(data.settings, view.settings),
      ...(data.task === null ? {} : { task: data.task as unknown as JsonObject }),
      ...(system === undefined ? {} : { system: system["content"] as Json }),
      ...(call.tools.length === 0 ? {} : { tools: call.tools.map((tool) => tool.wire) }),
    },
  };
}

/** Messages that came in by any other call. */
function appended(call: FollowedCall, view: CandidateView): CandidateCall | null {
  const [first] = call.arrived;
  if (first === undefined) return null;
  const pin = dataOf(call, "block.pinned").length > 0;
  const [block] = first.blocks;
  if (first.source === "agent" || block === undefined) {
    return { command: "context.append", params: { messages: wireMessages(call, view), pin } };
  }
  return { command: "context.append", params: { text: textOf(block.part), type: block.type, pin } };
}

function pinning(
  command: "context.pin" | "context.unpin",
  blocks: readonly { readonly block_id: string }[],
  { ownBlock }: CandidateView,
): CandidateCall | null {
  const own = blocks.flatMap(({ block_id }) => ownBlock(block_id) ?? []);
  return own.length === 0 ? null : { command, params: { block_ids: own } };
}

function wireMessages({ arrived }: FollowedCall, { live }: CandidateView): JsonObject[] {
  const format = messageFormats[live.format];
  return arrived.map(({ role, envelope, blocks }: Arrived) =>
    format.join({ role, envelope, parts: blocks.map((block) => block.part) }),
  );
}

/** A window that was told, and a size: in the proportion in which it differed from the estimate. */
function reportedSize(call: FollowedCall, { settings, own }: CandidateView): JsonObject {
  const reported: JsonObject = {};
  const [resized] = dataOf(call, "window.resized");
  const hasOwnWindow = (settings["max_context_tokens"] ?? null) !== null;
  if (resized && !hasOwnWindow) reported["window_tokens"] = resized.max_tokens;
  const [told] = dataOf(call, "usage.anchored");
  if (told && told.raw_tokens > 0 && own) {
    const came = call.arrived.reduce((sum, { tokens }) => sum + tokens, 0);
    const shortened = [...dataOf(call, "block.truncated"), ...dataOf(call, "block.summarized")];
    const cut = shortened.filter(({ pass_id }) => pass_id === null);
    const left = cut.reduce((sum, { tokens_before, tokens_after }) => sum - tokens_before + tokens_after, came);
    reported["input_tokens"] = Math.round((told.tokens / told.raw_tokens) * (own.rawTokens + left));
  }
  return Object.keys(reported).length === 0 ? {} : { model_reported: reported };
}

/** The usage of a call, as it would have been for the candidate's prompt. What is kept of the answer is the same. */
function usage(call: FollowedCall, { own }: CandidateView): JsonObject {
  const [ended] = dataOf(call, "turn.ended");
  const [told] = dataOf(call, "usage.anchored");
  if (!own || !told || !ended || ended.prompt_tokens === null || ended.estimated_tokens <= 0) return {};
  const estimate = own.rawTokens + promptOverhead(own.format, own.tools.length > 0);
  const input = Math.round((ended.prompt_tokens / ended.estimated_tokens) * estimate);
  const output = ended.output_tokens === null ? {} : { output_tokens: told.tokens - ended.prompt_tokens };
  return { usage: { input_tokens: input, ...output } };
}
