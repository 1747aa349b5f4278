import type { Book, ScoreFactor } from "../ledger/index.ts";
import type { BlockType } from "../model/block.ts";
import type { Role } from "../model/message.ts";
import { needFactor, type RegretTally } from "../regret/index.ts";

const TYPE_OF: Readonly<Record<Role, BlockType>> = {
  system: "system_prompt",
  user: "user_message",
  assistant: "assistant_response",
  tool: "tool_result",
};

/**
 * What the session's regret adds to the score of a line: the need factor of the tool and type of block that it came
 * in with, from 1 to 2. It only ever raises: what the ledger carries is used without regret, so a low rate can mean that
 * the ledger serves its source well, and lowering the score would take that away.
 */
export function regretFactor(book: Book, tally: RegretTally): ScoreFactor {
  if (tally.regretted === 0) return () => 1;
  return (line) => {
    const entry = book.entries[line.entry];
    if (!entry) return 1;
    const ofTool = entry.role === "tool" || line.source !== "text";
    return Math.max(1, needFactor(tally, ofTool ? entry.tool : null, TYPE_OF[entry.role]));
  };
}
