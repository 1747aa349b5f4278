import type { Block, BlockType, ToolUse } from "./block.ts";
import { textOf } from "./part.ts";

/** A block as a summariser or a judge reads it: its words, and what they are. */
export interface Passage {
  readonly blockId: string;
  readonly unitId: number;
  /** Turn of arrival. */
  readonly turn: number;
  readonly type: BlockType;
  /** The call that the block is, or is the result of. */
  readonly tool: ToolUse | null;
  readonly isError: boolean;
  readonly text: string;
}

/** The block as it stands in the context now. */
export function passageOf(block: Block): Passage {
  const { part } = block;
  return {
    blockId: block.id,
    unitId: block.unitId,
    turn: block.turn,
    type: block.type,
    tool: block.tool,
    isError: part.kind === "tool_result" && part.isError,
    text: textOf(part),
  };
}
