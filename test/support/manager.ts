import { expect } from "vitest";
import { z } from "zod";
import { compressionMethods, configureCascade } from "../../src/compression/index.ts";
import type { Config } from "../../src/config/index.ts";
import { resolveSettings } from "../../src/config/index.ts";
import { configureScorer } from "../../src/eviction/index.ts";
import { configureRules } from "../../src/health/index.ts";
import { OWN_ALERTS } from "../../src/manager/alerts.ts";
import type { AnyCommand, JudgeModel } from "../../src/manager/commands/command.ts";
import { commands } from "../../src/manager/commands/index.ts";
import type { Hook } from "../../src/manager/hook.ts";
import type { Summaries } from "../../src/manager/jobs/summary-job.ts";
import { ContextManager } from "../../src/manager/manager.ts";
import { Publisher } from "../../src/manager/publisher.ts";
import { restoreAnalysed } from "../../src/manager/restore.ts";
import type { Session } from "../../src/manager/session.ts";
import type { Clock } from "../../src/model/clock.ts";
import { ContextdError, type ErrorReason } from "../../src/model/errors.ts";
import type { EventData, EventType, PublishedEvent } from "../../src/model/events.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { openNeedModel } from "../../src/need-models.ts";
import type { Journal } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";
import { configWith } from "../config/config-with.ts";

/** Time that stands still until a test moves it. */
export class VirtualClock implements Clock {
  #ms = Date.UTC(2025, 10, 21, 14, 2, 11);

  now(): number {
    return this.#ms;
  }

  monotonic(): number {
    return this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }
}

/** Counters and catalogues hold no state of a test: one of each serves a whole file. */
const counter = new TokenCounter({ workerUrl: null });
const catalogue = new ModelCatalogue({});
const defaults = configWith();

export const TENANT = "acme";

export interface ManagerOptions {
  readonly config?: Config;
  readonly journal?: Journal;
  readonly snapshotEvery?: number;
  readonly sessionsPerTenant?: number;
  readonly judge?: JudgeModel;
  /** Commands with a bug seeded on purpose, in the place of the real ones. */
  readonly seeded?: Readonly<Record<string, AnyCommand>>;
  readonly summaries?: Summaries;
  /** False where a test makes so many calls that checking each reply would be most of its time. */
  readonly checkReplies?: boolean;
}

type CommandName = keyof typeof commands;
type Reply<Name extends CommandName> = z.output<(typeof commands)[Name]["result"]>;
export type Params = Readonly<Record<string, unknown>>;

/** A manager over a journal in memory, with everything it published. */
export class TestManager {
  readonly journal: Journal;
  readonly clock = new VirtualClock();
  readonly events: PublishedEvent[] = [];
  readonly manager: ContextManager;
  readonly #options: ManagerOptions;
  /** The latest call of each session. */
  readonly #hooks = new Map<string, Hook>();

  constructor(options: ManagerOptions = {}) {
    this.#options = options;
    this.journal = options.journal ?? new MemoryJournal();
    const config = options.config ?? defaults;
    const publisher = new Publisher(
      { lastRow: 0 },
      {
        observers: [{ name: "test", observe: (events) => this.events.push(...events) }],
        onFault: (_observer, error) => {
          throw error;
        },
      },
    );
    this.manager = new ContextManager(
      {
        snapshotEvery: options.snapshotEvery ?? 200,
        unloadIdleMs: 600_000,
        sessionsPerTenant: options.sessionsPerTenant ?? 100,
      },
      {
        journal: this.journal,
        publisher,
        clock: this.clock,
        catalogue: () => catalogue,
        counter,
        settings: (profile, own) => {
          const name = profile ?? config.profile;
          return { profile: name, settings: resolveSettings(config, name, own) };
        },
        scorer: (settings) => configureScorer(settings.eviction),
        cascade: (settings) => configureCascade(settings.compression, compressionMethods),
        healthRules: (settings) => configureRules(settings.health_monitoring, undefined, OWN_ALERTS),
        ...(options.summaries ? { summaries: options.summaries } : {}),
        needModel: openNeedModel(config),
        judge: () => options.judge ?? null,
      },
    );
  }

  /** One call as the RPC layer makes it: parameters parsed by the schema, and the reply held against its own. */
  async call<Name extends CommandName>(name: Name, params: Params, tenant: string = TENANT): Promise<Reply<Name>> {
    const real = this.#options.seeded?.[name] ?? (commands[name] as AnyCommand);
    const command: AnyCommand = {
      ...real,
      decide: (hook, given, more) => {
        const key = `${tenant}/${hook.session.key.id}`;
        // What a decision that fails leaves behind is thrown away.
        this.#hooks.delete(key);
        const reply: unknown = real.decide(hook, given, more);
        this.#hooks.set(key, hook);
        return reply;
      },
    };
    const parsed = command.params.parse(params) as JsonObject;
    const reply = await this.manager.execute<Reply<Name>>(command, { tenant, traceparent: null }, parsed);
    if (this.#options.checkReplies !== false) {
      const wire: unknown = JSON.parse(JSON.stringify(reply));
      expect(z.parse(command.result, wire), `the reply of ${name} holds what its schema declares`).toEqual(wire);
    }
    return reply;
  }

  /** Another manager on the same journal, as after a restart: nothing is in its memory. */
  async restarted(options: ManagerOptions = {}): Promise<TestManager> {
    await this.manager.stop();
    const next = new TestManager({ ...this.#options, ...options, journal: this.journal });
    await next.manager.start();
    return next;
  }

  /** The session as it can be read back from the journal, with everything derived read. */
  async session(id: string, upTo?: number): Promise<Session> {
    const restored = await restoreAnalysed(this.journal, { tenant: TENANT, id }, upTo);
    if (!restored) throw new Error(`the journal has no session ${id}`);
    restored.analysis.settle();
    return restored.session;
  }

  /** Whether a call was made on the session here. */
  holds(id: string): boolean {
    return this.#hooks.has(`${TENANT}/${id}`);
  }

  /** The session as the manager holds it in memory since its last call here, with everything derived read. */
  live(id: string): Session {
    const hook = this.#hooks.get(`${TENANT}/${id}`);
    if (!hook) throw new Error(`no call was made on session ${id}`);
    hook.services.analysis.settle();
    return hook.session;
  }

  /** What happens to a session out of use: it keeps its state and gives back what is derived of it. */
  rest(id: string): void {
    this.#hooks.get(`${TENANT}/${id}`)?.services.analysis.rest();
  }

  /** Published data of one type, in order. */
  published<T extends EventType>(type: T): EventData[T][] {
    return this.events.filter((event) => event.type === type).map((event) => event.data as EventData[T]);
  }
}

/** The error of a call that must be refused, which it must be for this reason. */
export async function refused(call: Promise<unknown>, reason: ErrorReason): Promise<ContextdError> {
  const error = await call.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error, "the call is refused").toBeInstanceOf(ContextdError);
  expect((error as ContextdError).reason).toBe(reason);
  return error as ContextdError;
}
