import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import type { Regret } from "../../regret/index.ts";
import { broughtBackIn } from "../live-context.ts";
import { requireOneName } from "../lookup.ts";
import { standingOf } from "../outlook.ts";
import { linesCarried } from "../passes/ledger.ts";
import type { Session } from "../session.ts";
import { command, sessionId } from "./command.ts";

export const contextExplain = command({
  name: "context.explain",
  summary: "Why a block is gone, or why it is still here: rule, score and its parts, pass, handle, regret.",
  scope: "agent",
  mutates: false,
  params: z.strictObject({
    session_id: sessionId,
    block_id: z.string().max(64).optional(),
    handle: z.string().max(64).optional(),
  }),
  result: z.object({
    block_id: z.string(),
    handle: z.string(),
    type: z.string(),
    tool_name: z.string().nullable(),
    arrived_turn: z.number(),
    in_context: z.boolean(),
    state: z.string(),
    /** The last edit of the block. */
    edit: z
      .object({
        turn: z.number(),
        method: z.string(),
        policy: z.string().nullable(),
        rule: z.string(),
        score: z.number().nullable(),
        score_parts: z.record(z.string(), z.number()),
        pass_id: z.string().nullable(),
        tokens_before: z.number(),
        tokens_after: z.number(),
        into_block_id: z.string().nullable(),
      })
      .nullable(),
    regret: z
      .array(
        z.object({
          kind: z.enum(["recall", "identifier", "reread"]),
          turn: z.number(),
          turns_since: z.number().describe("Turns from the edit to the need."),
        }),
      )
      .describe("How content of the block was needed again after an edit had taken it out, each kind once."),
    lines_carried: z
      .number()
      .describe("Lines of what the block arrived with, a message or a result, that stand in the ledger now."),
    /** Why a live block stays: the rule that protects it, or the score it has now. */
    standing: z
      .object({
        protected_by: z.string().nullable(),
        policy: z.string(),
        score: z.number(),
        score_parts: z.record(z.string(), z.number()),
        rule: z.string(),
      })
      .nullable(),
    sentence: z.string(),
  }),
  decide(hook, params) {
    const { session } = hook;
    requireOneName(params);
    const edit =
      params.handle === undefined ? session.edits.get(params.block_id ?? "") : session.editByHandle.get(params.handle);
    const block =
      session.blocks.get(edit?.blockId ?? params.block_id ?? "") ??
      [...session.blocks.values()].find((each) => each.handle === params.handle);
    const known = block ?? edit;
    if (!known) {
      throw new ContextdError("content_not_found", "This session has no block of that id or handle.", {
        path: params.handle === undefined ? "block_id" : "handle",
      });
    }
    const standing = block ? standingOf(hook, block) : null;
    const last = edit && {
      turn: edit.turn,
      method: edit.method,
      policy: edit.policy,
      rule: edit.rule,
      score: edit.score,
      score_parts: { ...edit.scoreParts },
      pass_id: edit.passId,
      tokens_before: edit.tokensBefore,
      tokens_after: edit.tokensAfter,
      into_block_id: edit.intoBlockId ?? null,
    };
    const blockId = block?.id ?? (edit?.blockId as string);
    const regret = session.regret.regrets.get(blockId) ?? [];
    const carried = edit ? linesCarried(hook, edit.blockId) : 0;
    return {
      block_id: blockId,
      handle: known.handle,
      type: known.type,
      tool_name: block?.tool?.name ?? edit?.toolName ?? null,
      arrived_turn: block?.turn ?? (edit?.arrived as number),
      in_context: block !== undefined,
      state: block?.state ?? "evicted",
      edit: last ?? null,
      regret: regret.map(({ kind, turn, evictedTurn }) => ({ kind, turn, turns_since: turn - evictedTurn })),
      lines_carried: carried,
      standing,
      sentence:
        sentenceOf(last ?? null, standing) +
        broughtBack(session, blockId) +
        regret.map(neededAgain).join("") +
        carriedSentence(carried),
    };
  },
});

const NEED: Readonly<Record<Regret["kind"], string>> = {
  recall: "its content was recalled",
  identifier: "the agent used an identifier of it that nothing in the context held any more",
  reread: "its tool call was made again",
};

function neededAgain({ kind, turn, evictedTurn }: Regret): string {
  return ` Needed again at turn ${turn}, having left at turn ${evictedTurn}: ${NEED[kind]}.`;
}

/** Where a block that was edited is as it came again, or another block holds what it was. */
function broughtBack(session: Session, blockId: string): string {
  const block = session.blocks.get(blockId);
  if (block && session.edits.has(blockId) && block.partHash === block.hash) {
    return " It was brought back since and is as it came.";
  }
  const holder = block ? undefined : broughtBackIn(session, blockId);
  return holder ? ` It was brought back since: block ${holder.id} has it.` : "";
}

function carriedSentence(lines: number): string {
  return lines > 0 ? ` The ledger carries ${lines} of its lines.` : "";
}

function sentenceOf(
  edit: {
    turn: number;
    method: string;
    policy: string | null;
    rule: string;
    tokens_before: number;
    tokens_after: number;
  } | null,
  standing: { protected_by: string | null; policy: string; score: number; rule: string } | null,
): string {
  if (edit) {
    const by = edit.policy === null ? "" : ` by policy ${edit.policy}`;
    return `At turn ${edit.turn} it was edited (${edit.method})${by}, rule ${edit.rule}: ${edit.tokens_before} tokens became ${edit.tokens_after}.`;
  }
  if (standing?.protected_by) return `It stays: protected by ${standing.protected_by}.`;
  if (standing)
    return `It stays for now: policy ${standing.policy} scores it ${standing.score.toFixed(3)} (${standing.rule}).`;
  return "";
}
