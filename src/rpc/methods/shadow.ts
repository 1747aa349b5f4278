import { z } from "zod";
import { sessionId } from "../../manager/commands/command.ts";
import type { ContextManager } from "../../manager/manager.ts";
import { ContextdError } from "../../model/errors.ts";
import type { PolicyFigures, Shadow, WatchedSession } from "../../shadow/index.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";

const ratio = (text: string) => z.number().nullable().describe(text);

const figures = {
  turns: z.number().describe("Model calls that were measured."),
  needs: z.number().describe("Values that the model's answers needed from earlier messages."),
  line_recall: ratio("Share of the needed weight that stood on whole lines of the run; null without needs."),
  value_recall: ratio("Share of it that stood anywhere."),
  relative_cost: ratio(
    "Cost of the prompts over what they would cost with nothing ever taken out; null without turns.",
  ),
  cost_tokens: z.number().describe("0.1 x prefix hits + 1.25 x the rest of the tokens sent."),
  unmanaged_cost_tokens: z.number(),
  tokens_sent: z.number(),
  prefix_hit_tokens: z.number().describe("Of these, in the longest common prefix with the request before."),
  edits: z.number(),
  edited_turns: z.number().describe("Turns before which the context was edited."),
};

const policy = z.string().describe("`live`, or the candidate's name.");

const watchedResult = z.object({
  session_id: z.string(),
  agent: z.string(),
  profile: z.string(),
  ended: z.string().nullable().describe("Why it is no longer watched; null while it is."),
  calls_behind: z.number().describe("Calls of the session that have not been followed yet."),
  policies: z.array(
    z.object({
      policy,
      ended: z.string().nullable().describe("Reason of the error that stopped a candidate before its session."),
      ...figures,
    }),
  ),
});

/** Shadow mode: candidates beside the live policy, measured side by side. */
export function shadowMethods(shadow: Shadow, manager: ContextManager): RpcMethod[] {
  return [shadowReport(shadow), shadowWatch(shadow, manager), shadowUnwatch(shadow)];
}

function shadowReport(shadow: Shadow): RpcMethod {
  return rpcMethod({
    name: "shadow.report",
    summary: "What the live policy and each candidate kept of what was needed, and at what cost, side by side.",
    scope: "operator",
    mutates: false,
    params: z.strictObject({ session_id: sessionId.optional().describe("Only this session's figures.") }),
    result: z.object({
      policies: z
        .array(z.object({ policy, sessions: z.number(), ...figures }))
        .describe("All sessions of the tenant since the daemon's start."),
      sessions: z.array(watchedResult).describe("Those watched now and those watched last, the latest first."),
    }),
    async call({ principal }, { session_id }) {
      const sessions = shadow.sessions(principal.tenant);
      const wanted = session_id === undefined ? sessions : sessions.filter(({ key }) => key.id === session_id);
      if (session_id !== undefined && wanted.length === 0) {
        throw notFound(session_id, "is not watched: shadow.watch watches an open session");
      }
      return {
        policies: shadow
          .totals(principal.tenant)
          .map((total) => ({ policy: total.policy, sessions: total.sessions, ...wireFigures(total.figures) })),
        sessions: wanted.map(wireSession),
      };
    },
  });
}

const changing = {
  session_id: sessionId,
  idempotency_key: z.string().min(1).max(256).optional().describe("Not needed: the call may be made again anyway."),
};

function shadowWatch(shadow: Shadow, manager: ContextManager): RpcMethod {
  return rpcMethod({
    name: "shadow.watch",
    summary: "Watches an open session from its first call on: its live policy, and the candidates of the config.",
    scope: "operator",
    mutates: true,
    params: z.strictObject(changing),
    result: z.object({ session_id: z.string(), policies: z.array(z.string()) }),
    async call({ principal }, { session_id }) {
      const key = { tenant: principal.tenant, id: session_id };
      if (!manager.summary(key)) throw notFound(session_id, "is not open: only open sessions can be watched");
      return {
        session_id,
        policies: shadow
          .watch(key)
          .records()
          .map((record) => record.policy),
      };
    },
  });
}

function shadowUnwatch(shadow: Shadow): RpcMethod {
  return rpcMethod({
    name: "shadow.unwatch",
    summary: "Ends the watching of a session; what it has shown so far stays in the report.",
    scope: "operator",
    mutates: true,
    params: z.strictObject(changing),
    result: z.object({ session_id: z.string() }),
    async call({ principal }, { session_id }) {
      const key = { tenant: principal.tenant, id: session_id };
      const known = shadow.unwatch(key) || shadow.sessions(principal.tenant).some((each) => each.key.id === session_id);
      if (!known) throw notFound(session_id, "is not watched");
      return { session_id };
    },
  });
}

function notFound(id: string, problem: string): ContextdError {
  return new ContextdError("session_not_found", `Session ${id.slice(0, 80)} ${problem}.`);
}

function wireSession(session: WatchedSession): z.input<typeof watchedResult> {
  return {
    session_id: session.key.id,
    agent: session.agent,
    profile: session.profile,
    ended: session.ended,
    calls_behind: session.callsBehind,
    policies: session.records().map((record) => ({
      policy: record.policy,
      ended: record.ended,
      ...wireFigures(record.figures),
    })),
  };
}

function wireFigures(of: PolicyFigures) {
  return {
    turns: of.turns,
    needs: of.needs,
    line_recall: of.needWeight === 0 ? null : of.lineWeight / of.needWeight,
    value_recall: of.needWeight === 0 ? null : of.valueWeight / of.needWeight,
    relative_cost: of.unmanagedCostTokens === 0 ? null : of.costTokens / of.unmanagedCostTokens,
    cost_tokens: of.costTokens,
    unmanaged_cost_tokens: of.unmanagedCostTokens,
    tokens_sent: of.tokensSent,
    prefix_hit_tokens: of.prefixHits,
    edits: of.edits,
    edited_turns: of.editedTurns,
  };
}
