import { randomUUID } from "node:crypto";
import type { ConfiguredStep } from "../compression/index.ts";
import { mergeSettings, type SessionSettings } from "../config/index.ts";
import type { Scorer } from "../eviction/index.ts";
import type { HealthRule } from "../health/index.ts";
import type { NeedModel } from "../ledger/index.ts";
import { messageFormats } from "../messages/index.ts";
import type { Clock } from "../model/clock.ts";
import { contentHash } from "../model/content-hash.ts";
import { ContextdError } from "../model/errors.ts";
import { canonicalJson, type Json, type JsonObject } from "../model/json.ts";
import type { MessageFormatName } from "../model/message.ts";
import { keyText, type SessionKey } from "../model/session-key.ts";
import type { Journal } from "../store/journal.ts";
import type { ModelCatalogue, TokenCounter } from "../tokens/index.ts";
import { closeBatch } from "./apply.ts";
import { type ClosedPage, closedPage, MOST_COUNTED } from "./closed-sessions.ts";
import type { AnyCommand, JudgeModel, Peer, Reader } from "./commands/command.ts";
import { compactionDeliver } from "./commands/compaction-deliver.ts";
import { countingServices, countLargeTexts, type LargeCounts } from "./counting.ts";
import { Hook, type Services } from "./hook.ts";
import type { Summaries, SummaryTask } from "./jobs/summary-job.ts";
import { LearnedModels, UNNAMED_MODEL } from "./learned-models.ts";
import type { Publisher } from "./publisher.ts";
import { restore, restoreAnalysed } from "./restore.ts";
import { readBody, writeBody } from "./row.ts";
import { type Checkpoint, newSession, type Session } from "./session.ts";
import { type Entry, SessionTable } from "./session-table.ts";
import { toSnapshot } from "./snapshot.ts";
import { type Summary, summaryOf } from "./summary.ts";
import { saveWhenDue } from "./windows/auto-save.ts";
import { findCheckpoint } from "./windows/stored-checkpoint.ts";

export interface ManagerOptions {
  /** Journal rows of a session between two snapshots. */
  readonly snapshotEvery: number;
  /** A session that was not called for so long leaves memory, ms. */
  readonly unloadIdleMs: number;
  /** Most open sessions of one tenant. */
  readonly sessionsPerTenant: number;
}

export interface ManagerDependencies {
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly clock: Clock;
  readonly catalogue: () => ModelCatalogue;
  readonly counter: TokenCounter;
  /** Resolved settings of a profile (null: the default one) under a session's own; throws invalid_params. */
  readonly settings: (profile: string | null, own: JsonObject) => { profile: string; settings: SessionSettings };
  readonly scorer: (settings: SessionSettings) => Scorer;
  readonly cascade: (settings: SessionSettings) => readonly ConfiguredStep[];
  readonly healthRules: (settings: SessionSettings) => readonly HealthRule[];
  /** Makes summaries off the hot path; absent: passes summarise extractively. */
  readonly summaries?: Summaries;
  readonly needModel: NeedModel;
  /** The model that judges fidelity, as it is configured now; absent or null: none. */
  readonly judge?: () => JudgeModel | null;
  /** What is learned of models, as far as it is known before `start`; absent: nothing yet. */
  readonly learned?: LearnedModels;
}

export interface Caller {
  readonly tenant: string;
  readonly traceparent: string | null;
}

/**
 * The conductor: takes a call on a session through its queue, the core, the journal and the observers, in this
 * order, and answers when the journal has committed. Everything it decides is decided by commands.
 */
export class ContextManager {
  readonly #options: ManagerOptions;
  readonly #deps: ManagerDependencies;
  readonly #table: SessionTable;
  readonly #learned: LearnedModels;

  constructor(options: ManagerOptions, dependencies: ManagerDependencies) {
    this.#options = options;
    this.#deps = dependencies;
    this.#learned = dependencies.learned ?? new LearnedModels();
    this.#table = new SessionTable(options, dependencies.clock);
  }

  /** Reads what the journal has learned of models, and what sessions it has open. Call once, before any other call. */
  async start(): Promise<void> {
    this.#learned.resume(await this.#deps.journal.learned());
    for (const stored of await this.#deps.journal.sessions()) {
      // A damaged session is not listed; who calls it is told so when it is loaded.
      if (stored.damaged) continue;
      this.#table.register(stored.key, JSON.parse(stored.summary) as Summary);
    }
  }

  /** Stops the background work. Calls under way finish. */
  async stop(): Promise<void> {
    await this.#table.stop();
  }

  /** Open sessions as they were after their last call. */
  summaries(tenant?: string): Iterable<{ readonly key: SessionKey; readonly summary: Summary }> {
    return this.#table.summaries(tenant);
  }

  /** Closed sessions of a tenant that fit, the one that closed last first; `before` as the page before answered `next`. */
  closedSessions(tenant: string, options: Parameters<typeof closedPage>[2]): Promise<ClosedPage> {
    return closedPage(this.#deps.journal, tenant, options);
  }

  /** How many closed sessions of a tenant are listed, counted up to 10,000. */
  closedCount(tenant: string): Promise<number> {
    return this.#deps.journal.closedCount({ tenant, most: MOST_COUNTED });
  }

  /** One open session as it was after its last call; null when there is none. */
  summary(key: SessionKey): Summary | null {
    return this.#table.summary(key);
  }

  /** What is known of a tenant's models, the newest first. */
  learnedModels(tenant: string): ReturnType<LearnedModels["ofTenant"]> {
    return this.#learned.ofTenant(tenant, this.#deps.clock.now());
  }

  /** Learned factor of reported over estimated tokens of a model; 1 where nothing was learned. */
  calibration(tenant: string, model: string): number {
    return this.#learned.factor(tenant, model);
  }

  /** Runs one command. `params` were parsed by the command's schema. Throws ContextdError. */
  async execute<Result>(command: AnyCommand, caller: Caller, params: JsonObject): Promise<Result> {
    const opens = command.name === "session.open";
    const id =
      (params["session_id"] as string | undefined) ?? chosenId(params["idempotency_key"] as string | undefined);
    const key: SessionKey = { tenant: caller.tenant, id };
    const stored = await this.#inQueue(key, (entry) => this.#call(entry, command, caller, params, opens));
    const reply = await this.#followUp(command, caller, params, stored);
    const outside = { judge: this.#deps.judge?.() ?? null };
    return (command.finish ? await command.finish(outside, params, reply) : reply) as Result;
  }

  async #inQueue<T>(key: SessionKey, call: (entry: Entry) => Promise<T>): Promise<T> {
    const entry = this.#table.enter(key);
    try {
      return await entry.queue.run(() => call(entry));
    } finally {
      this.#table.leave(entry);
    }
  }

  /** Makes the call on another session that belongs to this one. No queue is held meanwhile: none can wait for another. */
  async #followUp(command: AnyCommand, caller: Caller, params: JsonObject, reply: unknown): Promise<unknown> {
    const next = command.follow?.(params, reply) ?? null;
    if (next === null) return reply;
    try {
      const answer = await this.execute(next.command, caller, next.params);
      return command.join ? command.join(reply, answer) : reply;
    } catch (error) {
      if (error instanceof ContextdError && next.tolerates.includes(error.reason)) return reply;
      throw error;
    }
  }

  /** Another session of a tenant, read without its queue: as it was after its last call. */
  async #peer(key: SessionKey): Promise<Peer | null> {
    const summary = this.#table.summary(key);
    if (summary) return { parent: summary.parent, turns: summary.turn, tokensArrived: summary.tokens_arrived };
    const closed = await restore(this.#deps.journal, key);
    return closed && { parent: closed.parent, turns: closed.turn, tokensArrived: closed.tokensArrived };
  }

  async #checkpointOf(key: SessionKey, checkpointId: string | null): Promise<Checkpoint> {
    const session = await restore(this.#deps.journal, key);
    if (session) return findCheckpoint(session, checkpointId);
    throw new ContextdError("checkpoint_not_found", "There is no session of that id to take a checkpoint from.", {
      path: "from_session",
    });
  }

  async #call(entry: Entry, command: AnyCommand, caller: Caller, params: JsonObject, opens: boolean): Promise<unknown> {
    const session = await this.#load(entry, opens);
    const key = params["idempotency_key"] as string | undefined;
    const request = key === undefined ? "" : requestHash(command.name, params);
    if (key !== undefined) {
      const earlier = await this.#earlierReply(entry, session, command, params, key, request);
      if (earlier) return earlier.reply;
    }
    if (command.mutates) refuseStale(session, params);
    if (opens && session.position === 0) this.#table.admit(entry.key.tenant);
    const largeCounts: LargeCounts = new Map();
    const services = this.#services(session, entry, command, params, largeCounts);
    const arrivals = command.arrivals?.(params, session, services.format) ?? [];
    await countLargeTexts(arrivals, this.#deps.counter, services.model, largeCounts);
    const prepared = await command.prepare?.(this.#reader(entry, session, services), session, params);
    const hook = new Hook(session, services);
    let stored: unknown;
    try {
      stored = command.decide(hook, params, { arrivals, prepared });
      saveWhenDue(hook);
    } catch (error) {
      // What was applied of a call that failed is undone by reading the session back.
      if (hook.events.length > 0) this.#table.unload(entry);
      throw error;
    }
    // A call that changed nothing is remembered too, if it may be repeated: its retry must change nothing either.
    if (hook.events.length > 0 || key !== undefined) {
      const retry = key === undefined ? null : { key, reply: stored, request };
      await this.#commit(entry, hook, command, caller, retry);
    }
    if (hook.refusal !== null) throw hook.refusal;
    return command.complete ? command.complete(hook, params, stored) : stored;
  }

  /** The session of an entry, read back if it is not in memory; a new one where the call may open it. */
  async #load(entry: Entry, opens: boolean): Promise<Session> {
    if (entry.session) return entry.session;
    const restored = await restoreAnalysed(this.#deps.journal, entry.key);
    if (restored) return this.#table.loaded(entry, restored);
    if (opens) return newSession(entry.key);
    throw new ContextdError(
      "session_not_found",
      `There is no session ${entry.key.id.slice(0, 80)}: open it with session.open.`,
    );
  }

  /** The reply that this idempotency key got before, as it was; null when the key is new. */
  async #earlierReply(
    entry: Entry,
    session: Session,
    command: AnyCommand,
    params: JsonObject,
    key: string,
    request: string,
  ) {
    if (session.position === 0) return null;
    const row = await this.#deps.journal.findIdempotent(entry.key, key);
    if (!row) return null;
    const { answer } = readBody(row.body);
    if (answer?.request !== request) {
      throw new ContextdError(
        "idempotency_conflict",
        "This idempotency key was used for another call or with other parameters: use a new key for each new call.",
        { path: "idempotency_key" },
      );
    }
    if (answer.refusal) {
      const { reason, message, data } = answer.refusal;
      throw new ContextdError(reason, message, data);
    }
    if (!command.complete) return { reply: answer.reply };
    const then =
      session.position === row.sessionSeq ? session : await restore(this.#deps.journal, entry.key, row.sessionSeq);
    if (!then) throw new Error(`session of journal row ${row.seq} cannot be read back`);
    return {
      reply: command.complete(
        { session: then, services: this.#services(then, entry, command, {}) },
        params,
        answer.reply,
      ),
    };
  }

  #reader({ key }: Entry, { job }: Session, { format, settings }: Services): Reader {
    const { journal, summaries } = this.#deps;
    return {
      journal,
      format,
      settings,
      peer: (id) => this.#peer({ tenant: key.tenant, id }),
      checkpointOf: (id, checkpointId) => this.#checkpointOf({ tenant: key.tenant, id }, checkpointId),
      checkProfile: (profile) => void this.#deps.settings(profile, {}),
      summaryUnderWay: () =>
        job?.kind === "history" && job.status === "running" ? (summaries?.outcome(keyText(key), job.id) ?? null) : null,
    };
  }

  /** Makes the call's events durable, then known. On failure nothing of the call remains. */
  async #commit(
    entry: Entry,
    hook: Hook,
    command: AnyCommand,
    caller: Caller,
    retry: { readonly key: string; readonly reply: unknown; readonly request: string } | null,
  ): Promise<void> {
    const { session, services, events } = hook;
    const { tenant } = entry.key;
    closeBatch(session, services.now);
    const { model } = session;
    const lesson = this.#learned.learn({ tenant, model, sessionId: entry.key.id, at: services.now, events });
    let summary: Summary;
    try {
      summary = summaryOf(session, { ...services, calibration: lesson.factor });
      await this.#deps.journal.append({
        key: entry.key,
        sessionSeq: session.position,
        at: services.now,
        hook: command.name,
        body: writeBody(retry ? { events, answer: answerOf(hook, retry) } : { events }),
        contents: hook.contents,
        idempotencyKey: retry?.key ?? null,
        summary: JSON.stringify(summary),
        closed: session.closed,
        snapshot: this.#snapshotIfDue(hook),
        learned: lesson.body === null ? null : { model, body: lesson.body },
      });
    } catch (error) {
      lesson.forget();
      this.#table.unload(entry);
      throw error;
    }
    this.#table.committed(entry, session, summary);
    lesson.keep();
    const labels = { agent: session.agent, profile: session.profile, model };
    this.#deps.publisher.publish(entry.key, labels, services.now, events, caller.traceparent);
    for (const task of hook.effects) this.#summarise(entry.key, task);
    const { job } = session;
    this.#deps.summaries?.keep(keyText(entry.key), !session.closed && job?.status === "running" ? job.id : null);
  }

  /** Work for a model: what comes of it is a call like any other. A session that has gone meanwhile needs it no more. */
  #summarise(key: SessionKey, { jobId, request }: SummaryTask): void {
    const { summaries } = this.#deps;
    if (!summaries || summaries.outcome(keyText(key), jobId) !== null) return;
    const caller = { tenant: key.tenant, traceparent: null };
    summaries.start(keyText(key), request(), async (outcome) => {
      const params = { session_id: key.id, job_id: jobId, outcome };
      try {
        await this.execute(compactionDeliver, caller, params as unknown as JsonObject);
      } catch (error) {
        if (!(error instanceof ContextdError && GONE.has(error.reason))) throw error;
      }
    });
  }

  #snapshotIfDue({ session, events, services }: Hook): string | null {
    const compacted = events.some((event) => event.type === "history.compacted");
    if (!session.closed && !snapshotDue(session, compacted, this.#options.snapshotEvery)) return null;
    session.analysedThrough = services.analysis.countedThrough;
    session.snapshotPosition = session.position;
    return toSnapshot(session);
  }

  #services(
    session: Session,
    entry: Entry,
    command: AnyCommand,
    params: JsonObject,
    largeCounts: LargeCounts = new Map(),
  ): Services {
    const { catalogue, counter, clock } = this.#deps;
    const opening = session.position === 0;
    const configured = command.name === "session.configure" && params["settings"] !== undefined;
    const change = (params["settings"] ?? {}) as JsonObject;
    const own = opening ? change : configured ? mergeSettings(session.ownSettings, change) : session.ownSettings;
    const profile = opening ? ((params["profile"] as string | undefined) ?? null) : session.profile;
    const resolved = this.#deps.settings(profile, own);
    const modelName = opening ? String(params["model"] ?? UNNAMED_MODEL) : session.model;
    const { tenant } = entry.key;
    const now = clock.now();
    const model = catalogue().find(modelName);
    const formatName = opening
      ? ((params["message_format"] as MessageFormatName | undefined) ?? "openai")
      : session.format;
    return {
      now,
      profile: resolved.profile,
      settings: resolved.settings,
      model,
      format: messageFormats[formatName],
      scorer: this.#deps.scorer(resolved.settings),
      cascade: this.#deps.cascade(resolved.settings),
      healthRules: this.#deps.healthRules(resolved.settings),
      summariesAvailable: this.#deps.summaries?.available() ?? false,
      needModel: this.#deps.needModel,
      analysis: this.#table.analysisOf(entry, session),
      calibration: this.#learned.factor(tenant, modelName),
      learnedWindow: this.#learned.window(tenant, modelName, now),
      ...countingServices(counter, model, formatName, largeCounts),
    };
  }
}

/** What a retry with the same idempotency key is answered. */
function answerOf({ refusal }: Hook, { reply, request }: { readonly reply: unknown; readonly request: string }) {
  if (refusal === null) return { reply, request };
  const { reason, message, data } = refusal;
  return { reply: null, refusal: { reason, message, data }, request };
}

/** Refusals of a session that nothing can be brought to any more. */
const GONE: ReadonlySet<string> = new Set(["session_closed", "session_not_found"]);

/**
 * A snapshot costs what the session holds, so a session that holds much takes fewer: spread over the calls since the
 * last one, it adds a constant to each. A pass, whose edits are many rows' worth of events, brings it forward.
 */
function snapshotDue(session: Session, compacted: boolean, every: number): boolean {
  const held = session.blocks.size + session.edits.size;
  const since = session.position - session.snapshotPosition;
  return since >= (compacted ? held / 16 : Math.max(every, held / 4));
}

/** The id of a session that came without one. It follows from the idempotency key, so that a retry finds the session. */
function chosenId(key: string | undefined): string {
  return `s-${key === undefined ? randomUUID() : contentHash(key).slice(0, 32)}`;
}

/** Tells a retry from another call: everything but the key itself. */
function requestHash(method: string, params: JsonObject): string {
  const { idempotency_key: _, ...rest } = params;
  return contentHash(`${method}\n${canonicalJson(rest as Json)}`);
}

/** A closed session, another revision or a window of the past refuses a change. */
function refuseStale(session: Session, params: JsonObject): void {
  if (session.closed) {
    throw new ContextdError(
      "session_closed",
      `Session ${session.key.id.slice(0, 80)} is closed: open another one; checkpoint.load takes over what this one knew.`,
    );
  }
  const revision = params["expected_revision"];
  if (typeof revision === "number" && session.position > 0 && revision !== session.revision) {
    throw new ContextdError(
      "stale_revision",
      `The session is at revision ${session.revision}, the call expects ${revision}: read it again and repeat.`,
      { revision: session.revision },
    );
  }
  const window = params["window_id"];
  if (typeof window === "string" && session.position > 0 && window !== session.windowId) {
    throw new ContextdError(
      "stale_revision",
      "The call names a window that is not the session's current one: read the context anew (context.get), and name the window in data.window_id.",
      {
        window_id: session.windowId,
      },
    );
  }
}
