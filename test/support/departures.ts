import type { Departure } from "../../src/regret/index.ts";

/** A result of `read_file` that left in turn 1, with what a test says otherwise. */
export function departure(blockId: string, over: Partial<Departure> = {}): Departure {
  return {
    blockId,
    type: "tool_result",
    toolName: "read_file",
    hash: `content of ${blockId}`,
    turn: 1,
    policy: "fifo",
    passId: "p1",
    call: null,
    ...over,
  };
}
