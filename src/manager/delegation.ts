import { z } from "zod";
import { contentHash } from "../model/content-hash.ts";
import { DELEGATION_OUTCOMES } from "../model/events.ts";
import type { Hook } from "./hook.ts";
import type { Delegation, Session } from "./session.ts";

/** A session's id is no longer than this. */
const LONGEST_ID = 256;

/** Delegations whose result has not come back, by id. */
export function openDelegations({ delegations }: Session): (readonly [string, Delegation])[] {
  return Object.entries(delegations).filter(([, { status }]) => status === "open");
}

/** The id of the next delegation: `d1`, `d2`, … within the session. */
export function nextDelegationId({ delegations }: Session): string {
  return `d${Object.keys(delegations).length + 1}`;
}

/** The id of a child session that nobody chose one for. */
export function childIdOf(parentId: string, delegationId: string): string {
  const id = `${parentId}/${delegationId}`;
  return id.length <= LONGEST_ID ? id : `s-${contentHash(id).slice(0, 32)}`;
}

/** Key under which a delegation's call on its child is made, once: it follows from the delegation, whoever repeats it. */
export function followUpKey(parentId: string, delegationId: string, call: "open" | "close"): string {
  return `delegation ${call} ${contentHash(`${parentId}\n${delegationId}`).slice(0, 32)}`;
}

export const delegatedResult = z
  .object({
    open: z.number().describe("Delegations whose result has not come back."),
    budget_tokens: z.number().describe("What their children may take in, in windows of their own."),
    result_tokens: z.number().describe("Most that their results will take of this window."),
  })
  .describe("What the session has handed to child sessions.");

export function delegatedOf({ session, services }: Hook): z.infer<typeof delegatedResult> {
  const open = openDelegations(session);
  return {
    open: open.length,
    budget_tokens: open.reduce((sum, [, { budgetTokens }]) => sum + budgetTokens, 0),
    result_tokens: open.length * services.settings.delegation.result_max_tokens,
  };
}

export const delegationsResult = z.array(
  z.object({
    delegation_id: z.string(),
    child_session_id: z.string(),
    title: z.string(),
    status: z.enum(["open", ...DELEGATION_OUTCOMES]),
    budget_tokens: z.number(),
    opened_turn: z.number(),
    closed_turn: z.number().nullable(),
    handle: z.string().nullable().describe("Of the result as it came."),
  }),
);

export function listDelegations({ delegations }: Session): z.infer<typeof delegationsResult> {
  return Object.entries(delegations).map(([id, each]) => ({
    delegation_id: id,
    child_session_id: each.childSessionId,
    title: each.title,
    status: each.status,
    budget_tokens: each.budgetTokens,
    opened_turn: each.openedTurn,
    closed_turn: each.closedTurn,
    handle: each.result?.handle ?? null,
  }));
}
