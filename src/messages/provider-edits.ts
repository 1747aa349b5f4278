import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { OtherPart, Part } from "../model/part.ts";

/*
 * What providers and clients do to a context by themselves. Sources: the types of Anthropic's Messages API
 * (`BetaCompactionBlock`, `BetaContextManagementResponse`), the compaction items of OpenAI's Responses API, and the
 * texts that common agents put in the place of results they have cleared.
 */

/** Type of a part that stands for what went before it, in both providers' APIs. */
export const COMPACTION = "compaction";

/** A summary that the provider wrote of what went before. */
export interface ProviderSummary {
  /** Anthropic reads nothing that stands before its summary; OpenAI's stands beside what is sent. */
  readonly hidesEarlier: boolean;
}

/**
 * A compaction part: Anthropic's has its summary in `content` (null where the provider failed to write one), OpenAI's is
 * a cipher text that only the provider can read. Neither is ever edited.
 */
export function readCompaction(wire: JsonObject): OtherPart {
  const { content } = wire;
  if (typeof content === "string") return { kind: "other", text: content, wire };
  return typeof wire["encrypted_content"] === "string" ? { kind: "other", text: "", wire } : { kind: "other", wire };
}

/** The provider's summary that the part is; null for any other part, and for one that the provider failed to write. */
export function providerSummary(part: Part): ProviderSummary | null {
  if (part.kind !== "other" || !isJsonObject(part.wire) || part.wire["type"] !== COMPACTION) return null;
  const { content, encrypted_content: cipher } = part.wire;
  if (typeof content === "string" && content !== "") return { hidesEarlier: true };
  // Anthropic's block has a `content` even where it is null: a failed one, which the provider passes over.
  if (content !== undefined) return null;
  return typeof cipher === "string" && cipher !== "" ? { hidesEarlier: false } : null;
}

/** A longer text is no placeholder. */
const PLACEHOLDER_CHARACTERS = 300;

/**
 * One line that says that a result's content was taken out. In brackets: coding agents and frameworks (`[Old tool
 * result content cleared]`, `[cleared]`, `[Output removed to save context …]`, `[[NOTE] This file read has been removed
 * …]`) and contextd's own placeholders in a list that an agent gives back; without: SWE-agent and OpenHands.
 */
const CLEARED = [
  /^\[(?:old |earlier |previous )?(?:tool )?(?:result|output|content|response)s?(?: content| output)? (?:was |has been |have been )?(?:cleared|removed|pruned|omitted|elided|dropped)\b[^\n]*\]$/i,
  /^\[(?:cleared|pruned|elided)\]$/i,
  /^\[\[NOTE\] This file read has been removed to save space in the context window\b[^\n]*\]$/,
  /^\[cleared (?:(?:result|arguments) turn \d+\b[^\n]*|h-[0-9a-f]{12})\]$/,
  /^Old environment output: \(\d+ lines omitted\)$/,
  /^<MASKED>$/,
];

/** Whether a tool result is a placeholder that the agent or its client put there: it holds nothing any more. */
export function isClearedResult(part: Part): boolean {
  if (part.kind !== "tool_result" || part.attachments.length > 0) return false;
  if (part.text.length > PLACEHOLDER_CHARACTERS) return false;
  const text = part.text.trim();
  return CLEARED.some((pattern) => pattern.test(text));
}

/** What a provider reports to have done to a prompt before the model saw it. */
export interface ProviderEdit {
  readonly kind: "clear_tool_uses" | "clear_thinking" | "other";
  readonly clearedToolUses: number;
  readonly clearedThinkingTurns: number;
  readonly clearedInputTokens: number;
}

/** Types of applied edits by the beginning of their name: a date follows. */
const KINDS = ["clear_tool_uses", "clear_thinking"] as const;

/**
 * The edits of an answer's `context_management` (Anthropic), those that cleared nothing left out. A compaction is not
 * among them: it shows in the answer itself.
 */
export function reportedEdits(contextManagement: Json | undefined): ProviderEdit[] {
  const edits = isJsonObject(contextManagement) ? contextManagement["applied_edits"] : undefined;
  if (!Array.isArray(edits)) return [];
  return edits.filter(isJsonObject).flatMap((edit) => {
    const type = typeof edit["type"] === "string" ? edit["type"] : "";
    if (type.startsWith("compact")) return [];
    const read = {
      kind: KINDS.find((kind) => type.startsWith(kind)) ?? ("other" as const),
      clearedToolUses: countOf(edit["cleared_tool_uses"]),
      clearedThinkingTurns: countOf(edit["cleared_thinking_turns"]),
      clearedInputTokens: countOf(edit["cleared_input_tokens"]),
    };
    return read.clearedToolUses + read.clearedThinkingTurns + read.clearedInputTokens > 0 ? [read] : [];
  });
}

function countOf(value: Json | undefined): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
