import type { Part } from "./part.ts";

export const BLOCK_TYPES = [
  "system_prompt",
  "tool_definition",
  "user_message",
  "assistant_response",
  "thinking",
  "tool_result",
  "memory_injection",
  "summary",
  "note",
] as const;

/** What a block is to the agent. See docs/glossary.md. */
export type BlockType = (typeof BLOCK_TYPES)[number];

export const COMPONENTS = [
  "system_prompt",
  "tool_definitions",
  "message_history",
  "tool_results",
  "memory_injection",
  "output_reserved",
] as const;

/** A share of the window that has its own token budget. */
export type Component = (typeof COMPONENTS)[number];

const COMPONENT_OF: Readonly<Record<BlockType, Component>> = {
  system_prompt: "system_prompt",
  tool_definition: "tool_definitions",
  user_message: "message_history",
  assistant_response: "message_history",
  thinking: "message_history",
  tool_result: "tool_results",
  memory_injection: "memory_injection",
  summary: "message_history",
  note: "memory_injection",
};

export function componentOf(type: BlockType): Component {
  return COMPONENT_OF[type];
}

export const BLOCK_STATES = ["whole", "truncated", "summarized", "cleared", "merged"] as const;

/**
 * `whole`: as it arrived; `truncated`: head and tail kept; `summarized`: what matters of it kept; `cleared`: a
 * placeholder; `merged`: "same as #id".
 */
export type BlockState = (typeof BLOCK_STATES)[number];

/** The tool call that a block is, or is the result of. */
export interface ToolUse {
  readonly callId: string;
  readonly name: string;
  /** Arguments as JSON text; empty when a result's call is not known. */
  readonly argumentsText: string;
}

/**
 * The smallest piece of content that contextd manages. Only `apply` (manager) changes a block.
 */
export interface Block {
  /** `b1`, `b2`, … in order of arrival within the session. */
  readonly id: string;
  readonly messageId: string;
  /** Number of the unit that this block stands or falls with. */
  readonly unitId: number;
  readonly type: BlockType;
  /** Turn of arrival. */
  readonly turn: number;
  readonly tool: ToolUse | null;
  /** SHA-256 (hex) of the original content: its address in the store. */
  readonly hash: string;
  /** What the agent quotes to get the original back: `h-` and the first 12 hex digits of the hash. */
  readonly handle: string;
  /** Tokens of the original. */
  readonly originalTokens: number;
  /** True when the count is an estimate (content over the exact counter's size or time limit). */
  readonly approximate: boolean;
  /** What is in the context now. */
  part: Part;
  /** Content address of `part`: equal to `hash` while the block is whole. */
  partHash: string;
  /** Tokens of `part`, raw (uncalibrated). */
  tokens: number;
  state: BlockState;
  pinned: boolean;
  /** How many times the content has been folded: 0 as it arrived. */
  generation: number;
  /** Turn of the last assistant message that used an identifier of this block; null when none did. */
  lastReferencedTurn: number | null;
  referenceCount: number;
}

export function handleOf(hash: string): string {
  return `h-${hash.slice(0, 12)}`;
}
