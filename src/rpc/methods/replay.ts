import { z } from "zod";
import { type Lab, type LabReplay, type LabTimeline, tellingRun } from "../../lab/index.ts";
import { sessionId } from "../../manager/commands/command.ts";
import { ContextdError } from "../../model/errors.ts";
import { type RpcMethod, rpcMethod } from "../method.ts";
import { getResult, status, summaryShape, type timeline } from "./replay-results.ts";

const replayId = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe("As replay.run answered it; by default the tenant's latest.");

/** Replays of the tenant's sessions under other policies. They change nothing of the sessions. */
export function replayMethods(lab: Lab): RpcMethod[] {
  return [replayRun(lab), replayGet(lab), replayList(lab), replayCancel(lab)];
}

function replayRun(lab: Lab): RpcMethod {
  return rpcMethod({
    name: "replay.run",
    summary:
      "Replays sessions under two policies or more, in a thread beside the hooks; replay.get tells what came of it.",
    scope: "operator",
    mutates: true,
    params: z.strictObject({
      session_ids: z
        .array(sessionId)
        .min(1)
        .max(50)
        .optional()
        .describe("Open sessions; by default all of the tenant, the longest first, at most 50."),
      policies: z
        .array(z.string().min(1).max(256))
        .min(2)
        .max(12)
        .optional()
        .describe(
          "Eviction policies, `profile:NAME`, peers, bounds: replay.list names them. The first two are A and B; by default the config's own and those of `contextd replay`.",
        ),
      window: z
        .string()
        .max(32)
        .regex(/^(?:own|\d+(?:\.\d+)?[%k]?)$/, "is no window: 25%, 16k, 8000 or own")
        .optional()
        .describe("`25%` of each run, which is the default; `16k`; `8000`; or `own`: the window each session has."),
      seed: z.number().int().min(0).max(0xffff_ffff).optional().describe("Of the intervals' draws."),
      idempotency_key: z
        .string()
        .min(1)
        .max(256)
        .optional()
        .describe("A call made again with the key of a replay that is kept answers that replay."),
    }),
    result: z.object({ replay_id: z.string(), status, total: z.number().describe("Sessions to replay.") }),
    async call({ principal }, { session_ids, policies, window, seed, idempotency_key }) {
      const request = { sessionIds: session_ids, policies, window, seed, idempotencyKey: idempotency_key };
      const replay = lab.run(principal.tenant, request);
      return { replay_id: replay.id, status: replay.status, total: replay.terms.sessionIds.length };
    },
  });
}

function replayGet(lab: Lab): RpcMethod {
  return rpcMethod({
    name: "replay.get",
    summary:
      "Progress of a replay and, when it is done, its figures: each policy, B against A, each run, one run's timelines.",
    scope: "operator",
    mutates: false,
    params: z.strictObject({
      replay_id: replayId,
      run: sessionId
        .optional()
        .describe("The run whose timelines are answered; by default the worst for B, else the most unlike."),
    }),
    result: getResult,
    async call({ principal }, { replay_id, run: asked }) {
      const replay = lab.get(principal.tenant, replay_id);
      const { report, terms } = replay;
      const kinds = new Map(lab.policies().map(({ name, kind }) => [name, kind]));
      return {
        ...summaryOf(replay),
        seed: terms.seed ?? null,
        error: replay.fault,
        policies: (report?.policies ?? []).map((score) => ({ kind: kinds.get(score.policy) ?? "policy", ...score })),
        pairs: [...(report?.pairs ?? [])],
        runs: [...(report?.runs ?? [])],
        timeline: timelineOf(replay, asked),
        skipped: [...(report?.skipped ?? [])],
        failures: replay.failures,
      };
    },
  });
}

function replayList(lab: Lab): RpcMethod {
  return rpcMethod({
    name: "replay.list",
    summary: "The tenant's replays that are kept, the latest first, and the policies that can be replayed.",
    scope: "operator",
    mutates: false,
    params: z.strictObject({}),
    result: z.object({
      replays: z.array(z.object({ ...summaryShape, session_ids: z.array(z.string()) })),
      policies: z.array(z.object({ name: z.string(), kind: z.enum(["policy", "profile", "peer", "bound"]) })),
      default_policies: z.array(z.string()).describe("What is replayed when nothing is named; the config's own first."),
    }),
    async call({ principal }) {
      return {
        replays: lab
          .list(principal.tenant)
          .map((replay) => ({ ...summaryOf(replay), session_ids: [...replay.terms.sessionIds] })),
        policies: lab.policies(),
        default_policies: lab.defaultPolicies(),
      };
    },
  });
}

function replayCancel(lab: Lab): RpcMethod {
  return rpcMethod({
    name: "replay.cancel",
    summary: "Ends a replay that is running; one that has ended stays as it is.",
    scope: "operator",
    mutates: true,
    params: z.strictObject({
      replay_id: replayId,
      idempotency_key: z.string().min(1).max(256).optional().describe("Not needed: the call may be made again anyway."),
    }),
    result: z.object({ replay_id: z.string(), status }),
    async call({ principal }, { replay_id }) {
      const replay = lab.get(principal.tenant, replay_id);
      await replay.cancel();
      return { replay_id: replay.id, status: replay.status };
    },
  });
}

function summaryOf(replay: LabReplay) {
  const { id, status: own, progress: at, startedAt, seconds, terms } = replay;
  return {
    replay_id: id,
    status: own,
    progress: at,
    started_at: startedAt,
    seconds,
    window: terms.window,
    policies_asked: [...terms.policies],
  };
}

function timelineOf({ report, id }: LabReplay, asked: string | undefined) {
  const shown = asked ?? tellingRun(report?.runs ?? [])?.id;
  if (report === null || shown === undefined) return null;
  const found = report.timelines.get(shown);
  if (found) return { run: shown, a: wireTimeline(found.a), b: wireTimeline(found.b) };
  throw new ContextdError("invalid_params", `Replay ${id} has no run of that id under A and B: \`runs\` lists them.`, {
    path: "run",
  });
}

function wireTimeline(own: LabTimeline): z.input<typeof timeline> {
  return { ...own, tokens: [...own.tokens], edits: [...own.edits], lost: [...own.lost] };
}
