import { recordPass } from "../../compression/index.ts";
import type { Block } from "../../model/block.ts";
import {
  blockOf,
  messageOf,
  notGrown,
  record,
  remember,
  remove,
  replace,
  shownDigest,
  shrinkUnfreeable,
  stepTokens,
  sweep,
} from "../live-context.ts";
import type { Session } from "../session.ts";
import type { Folds } from "./fold.ts";

/** Turns that passes wait after two in a row that freed next to nothing. */
const COOLDOWN_TURNS = 5;
/** Earlier forms of a message by which it is known again in an agent's list. */
const FORMS_KEPT = 8;

/** What passes do to blocks, and what is remembered of passes. */
export const editsFolds = {
  "block.truncated": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    rememberShortened(session, block, { ...data, method: "truncate", turn: session.turn });
    replace(session, block, data.hash, parts, data.tokens_after, "truncated");
    if (data.pass_id === null) neverTakenIn(session, block, data.tokens_before - data.tokens_after);
  },
  "block.summarized": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    rememberShortened(session, block, { ...data, method: "summarize" });
    replace(session, block, data.hash, parts, data.tokens_after, "summarized");
    if (data.pass_id === null) neverTakenIn(session, block, data.tokens_before - data.tokens_after);
  },
  "block.evicted": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    remember(session, {
      ...record(block, data.turn),
      method: data.method,
      passId: data.pass_id,
      policy: data.policy,
      score: data.score,
      scoreParts: data.score_parts,
      rule: data.rule,
      tokensAfter: data.tokens_after,
    });
    if (data.replacement_hash !== null) {
      replace(session, block, data.replacement_hash, parts, data.tokens_after, data.state);
      return;
    }
    const message = session.messageById.get(block.messageId);
    remove(session, block);
    if (message?.gone && message.digest !== "") session.departed.add(message.digest);
  },
  "block.merged": (session, data, parts) => {
    const block = blockOf(session, data.block_id);
    remember(session, {
      ...record(block, data.turn),
      method: "merge",
      passId: data.pass_id,
      policy: data.policy,
      score: data.score,
      scoreParts: { similarity: data.similarity },
      rule: data.rule,
      tokensAfter: data.tokens_after,
      intoBlockId: data.into_block_id,
    });
    replace(session, block, data.replacement_hash, parts, data.tokens_after, "merged");
  },
  "block.restored": (session, data, parts) => {
    const { block_id: id, into_block_id: into, tokens_before, tokens_after } = data;
    const block = blockOf(session, into);
    if (into === id) {
      const message = messageOf(session, block.messageId);
      message.shownBefore = [...(message.shownBefore ?? []), shownDigest(message)].slice(-FORMS_KEPT);
      replace(session, block, data.hash, parts, tokens_after, "whole");
      block.generation = 0;
    } else session.broughtBack = { ...session.broughtBack, [into]: id };
    // It was in the context before: what comes back is no growth.
    const message = into === id ? undefined : messageOf(session, block.messageId);
    notGrown(session, block.type, tokens_after - tokens_before);
    if (message) notGrown(session, "user_message", message.overheadTokens);
  },
  "history.compacted": (session, data) => {
    session.nextPass++;
    if (session.job !== null && session.job.id === data.job_id) session.job = null;
    const freed = data.tokens_before - data.tokens_after;
    session.lastEdit = { turn: session.turn, tokensFreed: freed, strategy: data.strategy };
    session.lastEditTurn = session.turn;
    session.tokensFreedTotal += Math.max(0, freed);
    notePass(session, data.tokens_before - data.target_tokens, freed);
    sweep(session);
    shrinkUnfreeable(session);
  },
  "compaction.skipped": (session, data) => {
    if (data.reason === "no_candidates" || data.reason === "nothing_saved") notePass(session, 1, 0);
  },
  "compaction.failed": (session) => {
    session.unfreeable = session.rawTokens - stepTokens(session);
  },
} satisfies Folds;

/** A block of which a shorter text stands now; no policy chose it. */
function rememberShortened(
  session: Session,
  block: Block,
  edit: { method: "truncate" | "summarize"; pass_id: string | null; rule: string; tokens_after: number; turn: number },
): void {
  remember(session, {
    ...record(block, edit.turn),
    method: edit.method,
    passId: edit.pass_id,
    policy: null,
    score: null,
    scoreParts: null,
    rule: edit.rule,
    tokensAfter: edit.tokens_after,
  });
}

/** What was cut as it came in stood in no prompt: it has not arrived, and the context has not grown by it. */
function neverTakenIn(session: Session, block: Block, tokens: number): void {
  session.tokensArrived -= tokens;
  notGrown(session, block.type, tokens);
}

/** A pass with nothing to show for it counts against the breaker. */
function notePass(session: Session, targetTokens: number, tokensFreed: number): void {
  const pass = { turn: session.turn, targetTokens, tokensFreed };
  session.breaker = recordPass(session.breaker, pass, COOLDOWN_TURNS).state;
}
