import { z } from "zod";
import { truncateHeadTail } from "../../compression/index.ts";
import { handleOf } from "../../model/block.ts";
import { ContextdError } from "../../model/errors.ts";
import { DELEGATION_OUTCOMES } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { followUpKey, openDelegations } from "../delegation.ts";
import type { Hook } from "../hook.ts";
import type { Session } from "../session.ts";
import { command, mutating } from "./command.ts";
import { sessionClose } from "./session-close.ts";

export const delegationClose = command({
  name: "delegation.close",
  summary: "Takes a child session's result back, cut to what the parent's context has room for, and closes the child.",
  scope: "agent",
  mutates: true,
  params: z.strictObject({
    ...mutating,
    delegation_id: z.string().min(1).max(64).describe("As delegation.open told it."),
    result: z.string().max(4_000_000).default("").describe("What the child reports; kept whole behind a handle."),
    status: z.enum(DELEGATION_OUTCOMES).default("done").describe("How it ended; the result is taken in any case."),
  }),
  result: z.object({
    delegation_id: z.string(),
    status: z.enum(DELEGATION_OUTCOMES),
    result: z.string().describe("What to put into the parent's context."),
    handle: z.string().nullable().describe("Brings the whole result back with content.recall; null without one."),
    tokens_before: z.number(),
    tokens_after: z.number(),
    child: z
      .object({ session_id: z.string(), tokens_used: z.number(), turns: z.number() })
      .nullable()
      .describe("What the child worked through; null when it was never opened."),
    ratio: z.number().nullable().describe("Tokens that the child took in for each that enters the parent."),
  }),
  arrivals(params, _session, format) {
    if (params.result.trim() === "") return [];
    return [{ split: format.compose("user", params.result), path: "result" }];
  },
  async prepare({ peer }, session, { delegation_id: id }) {
    const { childSessionId } = openDelegation(session, id);
    const child = await peer(childSessionId);
    const isOurs = child?.parent?.session_id === session.key.id && child.parent.delegation_id === id;
    return child && isOurs
      ? { session_id: childSessionId, tokens_used: child.tokensArrived, turns: child.turns }
      : null;
  },
  decide(hook, { delegation_id: id, result, status }, { prepared: child }) {
    const { session } = hook;
    const { childSessionId } = openDelegation(session, id);
    const cut = shortened(hook, result);
    const ratio = child === null || cut.tokensAfter === 0 ? null : child.tokens_used / cut.tokensAfter;
    hook.emit("delegation.closed", {
      delegation_id: id,
      child_session_id: childSessionId,
      status,
      result_hash: cut.hash,
      handle: cut.handle,
      tokens_before: cut.tokensBefore,
      tokens_after: cut.tokensAfter,
      child_tokens: child?.tokens_used ?? null,
      child_turns: child?.turns ?? null,
      ratio,
      turn: session.turn,
    });
    return {
      delegation_id: id,
      status,
      result: cut.text,
      handle: cut.handle,
      tokens_before: cut.tokensBefore,
      tokens_after: cut.tokensAfter,
      child,
      ratio,
    };
  },
  follow({ session_id: parentId }, { delegation_id, status, child }) {
    if (child === null) return null;
    const params = sessionClose.params.parse({
      session_id: child.session_id,
      idempotency_key: followUpKey(parentId, delegation_id, "close"),
      reason: `delegation ${status}`,
    });
    // The agent may have closed it before.
    const tolerates = ["session_closed", "session_not_found"] as const;
    return { command: sessionClose, params: params as unknown as JsonObject, tolerates };
  },
});

function openDelegation(session: Session, id: string) {
  const found = openDelegations(session).find(([each]) => each === id);
  if (found) return found[1];
  const known = openDelegations(session).map(([each]) => each);
  const cure = known.length === 0 ? "it has none open" : `open ones: ${known.join(", ")}`;
  // What is no id of ours may be anything: it is not said again.
  const wrong = Object.hasOwn(session.delegations, id)
    ? `Delegation ${id} is closed already`
    : "The session has no delegation of that id";
  throw new ContextdError("invalid_params", `${wrong}; ${cure}.`, { path: "delegation_id" });
}

/** The result as the parent is to see it; the whole of it is filed as content of the call. */
function shortened(hook: Hook, result: string) {
  if (result === "") return { text: "", tokensBefore: 0, tokensAfter: 0, hash: null, handle: null };
  const { session, services } = hook;
  const hash = hook.store({ kind: "text", text: result, wire: result });
  const handle = handleOf(hash);
  const { text, tokens } = truncateHeadTail(result, {
    limitTokens: services.settings.delegation.result_max_tokens,
    count: (piece) => services.countText(piece),
    handle: session.canRecall ? handle : null,
  });
  return { text, tokensBefore: services.countText(result), tokensAfter: tokens, hash, handle };
}
