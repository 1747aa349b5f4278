import { nextGenerations } from "../../fidelity/index.ts";
import { notGrown, removeOwn } from "../live-context.ts";
import { RULES_KEPT, type Session } from "../session.ts";
import type { Folds } from "./fold.ts";

/** What passes write of contextd's own, and how well it tells what has left. */
export const carriedFolds = {
  "ledger.rebuilt": (session, data) => {
    for (const id of data.removed_message_ids) removeOwn(session, id);
    const stableEntries = data.entries?.filter(({ segment }) => segment === "stable") ?? [];
    session.ledger = { stable: data.stable_message_id, fresh: data.fresh_message_id, stableEntries };
    noteCarried(session, data.tokens_added);
  },
  "summary.rewritten": (session, data) => {
    removeOwn(session, data.removed_message_id);
    session.summary = {
      messageId: data.message_id,
      held: data.held,
      passId: data.pass_id,
      summarizer: data.summarizer,
      generation: data.generation,
    };
    noteCarried(session, data.tokens_added);
  },
  "standing.rewritten": (session, data) => {
    removeOwn(session, data.removed_message_id);
    session.standing = data.message_id;
    // What it says was in the context before, or is known to the agent that said it: no growth.
    const message = session.messageById.get(data.message_id ?? "");
    if (!message) return;
    notGrown(session, "user_message", message.overheadTokens);
    for (const block of message.blocks) notGrown(session, block.type, block.tokens);
  },
  "constraint.reinserted": (session, { source, block_id: blockId, text }) => {
    if (source !== "user") return;
    const others = session.rules.filter((rule) => rule.text !== text);
    session.rules = [...others, { text, blockId }].slice(-RULES_KEPT);
  },
  "fidelity.evaluated": (session, data) => {
    const { pass_id: passId, generation, score, judge } = data;
    const { generations } = session.fidelity;
    session.fidelity = {
      generations: judge === "lexical" ? nextGenerations(generations, generation, data.kept_probes) : generations,
      last: { passId, generation, score, judge },
    };
  },
} satisfies Folds;

/** What is carried over is no growth: it was in the context before. */
function noteCarried(session: Session, tokensAdded: number): void {
  const { message_history = 0 } = session.freedSinceLastTurn;
  session.freedSinceLastTurn.message_history = message_history - tokensAdded;
}
