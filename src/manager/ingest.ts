import { cutToLimits, fitsLimits, ingestLimit } from "../compression/index.ts";
import { isMessageField, messageDigest, partDigest, providerSummary, type SplitMessage } from "../messages/index.ts";
import type { BlockType, ToolUse } from "../model/block.ts";
import { ContextdError } from "../model/errors.ts";
import type { Role } from "../model/message.ts";
import { type Part, textOf } from "../model/part.ts";
import { passageOf } from "../model/passage.ts";
import { budgetNow } from "./budgets.ts";
import { extendedChain, type Hook } from "./hook.ts";
import { limitsOf, standingFloor } from "./measure.ts";
import { summariseBlock, truncateBlock } from "./passes/edit.ts";
import { followCompaction } from "./provider-edits.ts";
import { type ManagedMessage, type Session, TOOLS_MESSAGE_ID } from "./session.ts";
import { tellNeeds } from "./tell-regrets.ts";
import { tellTodos } from "./tell-todos.ts";

/** A message on its way in: split, with the place in the call that errors name. */
export interface Arrival {
  readonly split: SplitMessage;
  readonly path: string;
  /** Set where the agent names the type itself (memory injections); else it follows from role and part. */
  readonly type?: BlockType;
  readonly source?: "agent" | "contextd";
  /** True when it is taken in again from the agent's own list: what it uses is not used anew. */
  readonly again?: boolean;
}

export function digestOf(split: SplitMessage): string {
  return messageDigest(split.role, split.parts.map(partDigest));
}

function typeOf(role: Role, part: Part): BlockType {
  // The older `function` messages of OpenAI answer a call without an id.
  if (part.kind === "tool_result" || role === "tool") return "tool_result";
  if (role === "system") return "system_prompt";
  if (part.kind === "thinking") return "thinking";
  if (providerSummary(part) !== null) return "summary";
  if (part.kind === "tool_call" || role === "assistant") return "assistant_response";
  return "user_message";
}

/** Appends messages whose order was checked. Throws budget_exceeded where a strict budget does not take them. */
export function ingest(hook: Hook, arrivals: readonly Arrival[]): void {
  for (const arrival of arrivals) {
    ingestOne(hook, arrival);
    if (arrival.split.role === "system") refuseOversized(hook, arrival.path);
  }
  followCompaction(
    hook,
    arrivals.map(({ split }) => split),
  );
}

/** Puts messages before all others, in their order. */
export function ingestFirst(hook: Hook, arrivals: readonly Arrival[]): void {
  let after: string | null = null;
  for (const arrival of arrivals) {
    const id = `m${hook.session.nextMessage}`;
    ingestOne(hook, arrival, after);
    refuseOversized(hook, arrival.path);
    after = id;
  }
}

/** A strict budget takes no system prompt over its share, by our own count: no provider has counted it yet. */
function refuseOversized(hook: Hook, path: string): void {
  if (hook.services.settings.budget.enforcement !== "strict") return;
  const used_tokens = hook.session.componentTokens.system_prompt;
  const { hard_limit_tokens } = budgetNow(hook).system_prompt;
  if (used_tokens <= hard_limit_tokens) return;
  throw new ContextdError(
    "budget_exceeded",
    `The system prompt has ${used_tokens} tokens, its strict budget is ${hard_limit_tokens}: shorten it, or raise budget.allocations.system_prompt.`,
    { path, used_tokens, hard_limit_tokens },
  );
}

/** `after`: id of the message it goes behind, null to be the first; absent: at the end. */
function ingestOne(hook: Hook, { split, type, source, again }: Arrival, after?: string | null): void {
  const { session, services } = hook;
  if (split.role === "assistant" && source !== "contextd" && !again) {
    tellNeeds(hook, split.parts);
    tellTodos(hook, split.parts);
  }
  const answers = answeredUnit(session, split);
  const addParts = (messageId: string) => {
    const ownUnit = answers ?? session.nextUnit;
    for (const part of split.parts) {
      const own = answers === null ? typeOf(split.role, part) : "tool_result";
      addPart(hook, messageId, ownUnit, type ?? own, part);
    }
  };
  const batch = batchOf(hook, split);
  if (batch) {
    addParts(batch.id);
    refreshDigest(hook, batch.id);
    return;
  }
  const id = `m${session.nextMessage}`;
  const beside = split.role === "system" && services.format.systemBeside;
  hook.emit("message.added", {
    message_id: id,
    role: split.role,
    turn: session.turn,
    envelope: split.envelope,
    source: source ?? "agent",
    overhead_tokens: services.messageOverhead(split.role, split.envelope),
    digest: beside || source === "contextd" ? "" : digestOf(split),
    ...(after === undefined ? {} : { after }),
  });
  addParts(id);
}

/** The unit of a message that holds results, and at most fields of its own beside them; else null. */
function answeredUnit(session: Session, { parts }: SplitMessage): number | null {
  const result = parts.find((part) => part.kind === "tool_result");
  if (!result || !parts.every((part) => part.kind === "tool_result" || isMessageField(part))) return null;
  return session.unitOfCall.get(result.callId) ?? null;
}

/**
 * The message that a tool result goes into, where the format wants all results of an assistant message together and
 * some of them have come before; else null.
 */
function batchOf({ session, services }: Hook, { role, parts }: SplitMessage): ManagedMessage | null {
  const [first] = parts;
  const last = session.messages.at(-1);
  if (!services.format.resultsShareMessage || first?.kind !== "tool_result" || last?.role !== role) return null;
  const unit = session.unitOfCall.get(first.callId);
  const isOpen = last.blocks.every((block) => block.unitId === unit);
  return isOpen ? last : null;
}

/** Adds tool definitions: blocks of their own, in no message. */
export function ingestTools(hook: Hook, tools: readonly { readonly name: string; readonly part: Part }[]): void {
  for (const { name, part } of tools) {
    hook.addBlock(TOOLS_MESSAGE_ID, 0, "tool_definition", part, { callId: "", name, argumentsText: "" });
  }
}

/** Adds a tool result that came by itself; answers its block. */
export function ingestResult(hook: Hook, arrival: Arrival): string {
  const { session } = hook;
  const id = `b${session.nextBlock}`;
  ingestOne(hook, arrival);
  const messageId = session.blocks.get(id)?.messageId;
  if (messageId === undefined) throw new Error(`block ${id} is not in the context right after it was added`);
  refreshDigest(hook, messageId);
  return id;
}

/** The agent will hold what it was told to hold: the digest follows the truncated results. */
function refreshDigest(hook: Hook, messageId: string): void {
  const { session } = hook;
  const message = session.messageById.get(messageId);
  if (!message || message.digest === "") return;
  const digest = messageDigest(
    message.role,
    message.blocks.map((block) => partDigest(block.part)),
  );
  if (digest === message.digest) return;
  hook.emit("message.extended", { message_id: messageId, digest, sent_chain: extendedChain(session, digest) });
}

function toolOf(session: Session, part: Part): ToolUse | null {
  if (part.kind === "tool_call") return { callId: part.callId, name: part.name, argumentsText: part.argumentsText };
  if (part.kind !== "tool_result") return null;
  const unit = session.units.get(session.unitOfCall.get(part.callId) ?? -1);
  const call = unit?.blocks.find((block) => block.part.kind === "tool_call" && block.part.callId === part.callId);
  return call?.tool ?? { callId: part.callId, name: "", argumentsText: "" };
}

function addPart(hook: Hook, messageId: string, ownUnit: number, type: BlockType, part: Part): string {
  const { session } = hook;
  const unitId = part.kind === "tool_result" ? (session.unitOfCall.get(part.callId) ?? ownUnit) : ownUnit;
  const blockId = hook.addBlock(messageId, unitId, type, part, toolOf(session, part));
  if (part.kind === "tool_result") capResult(hook, blockId);
  return blockId;
}

/** A tool result that is too big for the window, or for what the settings allow, is shortened as it comes in. */
function capResult(hook: Hook, blockId: string): void {
  const { session, services } = hook;
  const block = session.blocks.get(blockId);
  if (!block) return;
  const { reserve, thresholds } = limitsOf(session, services);
  const unit = session.units.get(block.unitId);
  const { ingest_max_tokens, ingest_max_characters, ingest_method } = services.settings.compression;
  const limit = ingestLimit({
    configured: ingest_max_tokens,
    maxTokens: session.maxTokens,
    redTokens: thresholds.red * session.maxTokens,
    tokensWithout: Math.ceil((standingFloor(session) + (unit?.tokens ?? 0) - block.tokens) * services.calibration),
    outputReserve: reserve,
    pendingResults: (unit?.pendingCalls.size ?? 0) + 1,
  });
  const limits = { limitTokens: limit, limitCharacters: ingest_max_characters };
  const { part } = block;
  if (fitsLimits(textOf(part), block.tokens, limits)) return;
  const tokensOf = (text: string) => services.countPart(services.format.withText(part, text)).tokens;
  const handle = session.canRecall ? block.handle : null;
  // Attachments have no head and tail: they are left out whole, and what the block costs beside its text stays.
  const attached = part.kind === "tool_result" && part.attachments.length > 0 ? leftOut("attachment", handle) : "";
  const { by, text } = cutToLimits(passageOf(block), ingest_method, {
    limitTokens: limit - tokensOf(attached),
    limitCharacters: ingest_max_characters === null ? null : Math.max(1, ingest_max_characters - attached.length - 1),
    countTokens: (piece) => services.countText(piece),
    handle,
  });
  const shorter = [text, attached].filter((piece) => piece !== "").join("\n") || leftOut("result", handle);
  if (tokensOf(shorter) >= block.tokens) return;
  const change = by === "head_tail" ? truncateBlock : summariseBlock;
  change(hook, block, shorter, `ingest.${by}`, null);
}

function leftOut(what: "attachment" | "result", handle: string | null): string {
  return `[${what} left out: too large${handle === null ? "" : `; recall ${handle}`}]`;
}
