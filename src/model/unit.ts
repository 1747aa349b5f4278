import type { Block } from "./block.ts";

/**
 * Blocks that stand or fall together: an assistant message with its tool calls, all their results and its
 * thinking; otherwise the parts of one message.
 */
export interface Unit {
  /** Rises in order of arrival; the order of units is the order of the context. */
  readonly id: number;
  readonly turn: number;
  blocks: Block[];
  tokens: number;
  /** Call ids whose results have not arrived. */
  pendingCalls: ReadonlySet<string>;
}
