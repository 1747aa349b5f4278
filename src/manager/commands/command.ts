import { z } from "zod";
import type { SessionSettings } from "../../config/index.ts";
import type { MessageFormat } from "../../messages/index.ts";
import type { ErrorReason } from "../../model/errors.ts";
import { type Parent, SEVERITIES } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { WINDOW_ORIGINS } from "../../model/window-source.ts";
import { ACTIONS, READING_SOURCES, STATUSES, ZONES } from "../../model/zone.ts";
import type { Journal } from "../../store/journal.ts";
import type { Hook } from "../hook.ts";
import type { Arrival } from "../ingest.ts";
import type { SummaryOutcome } from "../jobs/summary-job.ts";
import type { Checkpoint, Session } from "../session.ts";

/** The model that is asked to judge: the daemon's LLM client fits it. */
export interface JudgeModel {
  complete(request: {
    readonly system: string;
    readonly user: string;
    readonly maxOutputTokens: number;
  }): Promise<{ readonly text: string }>;
}

/** What a command may ask when the session's queue has gone on. */
export interface Outside {
  /** null: no model is configured to judge. */
  readonly judge: JudgeModel | null;
}

/** What a command may read from outside the session, before it decides. */
export interface Reader {
  readonly journal: Pick<Journal, "contents" | "rows" | "load">;
  readonly format: MessageFormat;
  readonly settings: SessionSettings;
  /** The end of the summary that is under way for the session; null where none is. Never rejects. */
  summaryUnderWay(): Promise<SummaryOutcome> | null;
  /** Another session of the tenant, open or closed, as it was after its last call; null: there never was one. */
  peer(sessionId: string): Promise<Peer | null>;
  /** A checkpoint of another session of the tenant, open or closed; null: its newest. Throws `checkpoint_not_found`. */
  checkpointOf(sessionId: string, checkpointId: string | null): Promise<Checkpoint>;
  /** Refuses a profile that there is not. */
  checkProfile(profile: string): void;
}

/** What a command may know of another session. */
export interface Peer {
  readonly parent: Parent | null;
  readonly turns: number;
  readonly tokensArrived: number;
}

/** A call on another session that belongs to one that was stored. */
export interface FollowUp {
  readonly command: AnyCommand;
  /** As the command's schema gives them; with an idempotency key that follows from the first call, so that it is made once. */
  readonly params: JsonObject;
  /** Refusals that mean that there is nothing left to do. */
  readonly tolerates: readonly ErrorReason[];
}

/**
 * One call on a session. `prepare` reads what is not in memory; `decide` is synchronous and emits events;
 * `complete` adds to the reply what need not be stored because it follows from the state (messages, patches),
 * so that a retry with the same idempotency key gets the same reply from the state of that time. `finish` asks what
 * takes long and needs no session, as a model: other calls of the session do not wait for it.
 *
 * A command that concerns a second session has a `follow`: the call on that session is made when the first is stored and
 * has left its session's queue, and `join` puts its reply into the answer. Should the daemon die in between, or the second
 * call fail, a retry with the same idempotency key completes it: what `follow` gives must follow from its arguments alone.
 */
export interface Command<Params, Result, Prepared = undefined> {
  readonly name: string;
  readonly summary: string;
  readonly scope: "agent" | "operator";
  /** Scopes besides `scope` that may call it: what an operator may do for an agent. */
  readonly sharedWith?: readonly ("agent" | "operator")[];
  /** Whether it may emit events: such a call takes an idempotency key and answers after the commit. */
  readonly mutates: boolean;
  readonly params: z.ZodType<Params>;
  readonly result: z.ZodType<Result>;
  /** Messages that come with the call: split, and their big parts counted, before `decide`. */
  arrivals?(params: Params, session: Session, format: MessageFormat): Arrival[];
  prepare?(reader: Reader, session: Session, params: Params): Promise<Prepared>;
  decide(
    hook: Hook,
    params: Params,
    given: { readonly arrivals: readonly Arrival[]; readonly prepared: Prepared },
  ): Result;
  complete?(hook: Pick<Hook, "session" | "services">, params: Params, stored: Result): Result;
  finish?(outside: Outside, params: Params, reply: Result): Promise<Result>;
  follow?(params: Params, stored: Result): FollowUp | null;
  join?(stored: Result, reply: unknown): Result;
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds commands of any shape; each is typed where it is made.
export type AnyCommand = Command<any, any, any>;

/** Keeps a command's own types where it is defined. */
export function command<Params, Result, Prepared = undefined>(
  definition: Command<Params, Result, Prepared>,
): Command<Params, Result, Prepared> {
  return definition;
}

export const sessionId = z.string().min(1).max(256).describe("The session's id, unique within the tenant.");

/** Parameters of every call on a session that may change it. */
export const mutating = {
  session_id: sessionId,
  idempotency_key: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe("Makes a retry safe for the life of the session: the same key gives the same answer, once."),
  expected_revision: z
    .number()
    .int()
    .min(0)
    .optional()
    .describe("Refuse with stale_revision unless the session is at this revision."),
  window_id: z
    .string()
    .max(300)
    .optional()
    .describe("Refuse with stale_revision unless this window is the current one."),
};

export const json: z.ZodType<Json> = z.json() as z.ZodType<Json>;
/** A message in the session's message format; read by it, so that the error can name the exact part. */
export const wireMessage = z.looseObject({}).describe("One message in the session's message format.");

export const readingResult = z.object({
  tokens: z.number(),
  max_tokens: z.number(),
  utilization: z.number(),
  zone: z.enum(ZONES),
  velocity_tokens_per_turn: z.number().nullable(),
  turns_until_red: z.number().nullable(),
  turns_until_red_p90: z.number().nullable(),
  source: z.enum(READING_SOURCES),
  window_guessed: z.boolean(),
});

export const windowSourceResult = z
  .object({
    from: z.enum(WINDOW_ORIGINS),
    at: z.number().nullable().describe("When it was learned, ms since the epoch; null where it was not."),
  })
  .describe("Where the window's size comes from: what was told, or what was learned of the model.");

export const statusResult = z.enum(STATUSES);
export const actionResult = z.enum(ACTIONS);
export const alertsResult = z
  .array(z.object({ alert: z.string(), severity: z.enum(SEVERITIES), summary: z.string(), since_turn: z.number() }))
  .describe("Alerts of the session that fire now.");
/** The delegation that a child session works for: `Parent` of the events. */
export const parentResult = z.object({
  session_id: z.string(),
  delegation_id: z.string(),
  depth: z.number().describe("1 below a session that works for itself."),
  budget_tokens: z.number().describe("Tokens that the child may take in."),
});
export const floorResult = z.object({
  floor_tokens: z.number(),
  max_tokens: z.number(),
  system_tokens: z.number(),
  tools_tokens: z.number(),
  protected_tokens: z.number(),
  reserve_tokens: z.number(),
});
