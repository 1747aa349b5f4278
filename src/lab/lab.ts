import { randomUUID } from "node:crypto";
import type { Config, Plugins } from "../config/index.ts";
import type { ContextManager } from "../manager/manager.ts";
import type { Clock } from "../model/clock.ts";
import { ContextdError } from "../model/errors.ts";
import type { Log } from "../model/log.ts";
import { DEFAULT_POLICIES } from "../replay/default-policies.ts";
import { type NamedPolicy, namedPolicies } from "../replay/policies.ts";
import { parseWindow } from "../replay/windows.ts";
import type { Journal } from "../store/journal.ts";
import { openBench } from "./bench-thread.ts";
import { chosenSessions } from "./choice.ts";
import { LabReplay } from "./lab-replay.ts";
import { recordedText } from "./recorded-text.ts";

/** Replays that can still be asked for when they have ended. */
const KEPT = 8;
/** Replays that run at once, whoever asked for them: each takes a core. */
const MOST_RUNNING = 2;

export interface LabDependencies {
  /** The config in effect: a replay keeps the one that it began with. */
  readonly config: () => Config;
  readonly plugins: Plugins;
  readonly manager: Pick<ContextManager, "summaries">;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly log: Log;
}

/** What a caller asks for; what is absent is as `contextd replay` has it. */
export interface ReplayRequest {
  readonly sessionIds?: readonly string[] | undefined;
  readonly policies?: readonly string[] | undefined;
  readonly window?: string | undefined;
  readonly seed?: number | undefined;
  /** A call made again with the key of a replay that is kept answers that replay. */
  readonly idempotencyKey?: string | undefined;
}

/**
 * Replays sessions of the daemon under other policies, in a thread of their own, and changes nothing. A tenant has one
 * at a time; what came of the last ones is kept in memory.
 */
export class Lab {
  readonly #deps: LabDependencies;
  /** Oldest first. */
  #replays: LabReplay[] = [];
  readonly #byKey = new Map<string, string>();
  #stopped = false;

  constructor(dependencies: LabDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Begins a replay. Throws session_not_found and invalid_params for what cannot be replayed, rate_limited while the
   * tenant has one that runs (`data.replay_id`), overloaded while other tenants have as many as may run.
   */
  run(tenant: string, request: ReplayRequest): LabReplay {
    const again = this.#made(tenant, request.idempotencyKey);
    if (again) return again;
    this.#requireRoom(tenant);
    const { config: current, plugins, manager, journal, clock, log } = this.#deps;
    const config = current();
    const { window = "25%", seed } = request;
    parseWindow(window);
    const policies = this.#policies(request.policies);
    const open = [...manager.summaries(tenant)].map(({ summary }) => summary);
    const sessionIds = chosenSessions(open, request.sessionIds);
    const id = randomUUID();
    const terms = { sessionIds, policies, window, seed };
    const replay = new LabReplay(
      { id, tenant, terms, startedAt: clock.now() },
      {
        textOf: (session) => recordedText(journal, { tenant, id: session }),
        openBench: (onPolicy) => openBench({ terms, config, plugins, onPolicy }),
        monotonic: () => clock.monotonic(),
        onFault: (error) => log.error({ replay_id: id, err: error }, "a replay failed"),
      },
    );
    this.#keep(replay, request.idempotencyKey);
    return replay;
  }

  /**
   * @param id absent: the tenant's latest.
   *
   * Throws replay_not_found for one that the tenant does not have, or that is kept no more.
   */
  get(tenant: string, id?: string): LabReplay {
    const replay = this.list(tenant).find((own) => id === undefined || own.id === id);
    if (replay) return replay;
    throw new ContextdError(
      "replay_not_found",
      `There is no such replay: the last ${KEPT} are kept until the daemon ends; replay.list names them.`,
    );
  }

  /** The tenant's replays, the latest first. */
  list(tenant: string): LabReplay[] {
    return this.#replays.filter((replay) => replay.tenant === tenant).reverse();
  }

  /** All that can be replayed. */
  policies(): NamedPolicy[] {
    return namedPolicies({ config: this.#deps.config(), plugins: this.#deps.plugins });
  }

  /** What is replayed when nothing is named: the config's own policy first. */
  defaultPolicies(): string[] {
    return [...new Set([this.#deps.config().eviction.policy, ...DEFAULT_POLICIES])];
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#replays.map((replay) => replay.cancel()));
  }

  #policies(named: readonly string[] | undefined): string[] {
    const policies = [...new Set(named ?? this.defaultPolicies())];
    const legal = this.policies().map(({ name }) => name);
    const unknown = (named ?? []).findIndex((name) => !legal.includes(name));
    if (unknown >= 0) {
      throw new ContextdError(
        "invalid_params",
        `\`policies[${unknown}]\` is no policy; choose from ${legal.join(", ")}.`,
        { path: `policies[${unknown}]` },
      );
    }
    if (policies.length >= 2) return policies;
    throw new ContextdError("invalid_params", "Name two different policies or more: the first two are A and B.", {
      path: "policies",
    });
  }

  #requireRoom(tenant: string): void {
    if (this.#stopped)
      throw new ContextdError("draining", "The daemon is shutting down: replay after it has restarted.");
    const running = this.#replays.filter(({ status }) => status === "running");
    const own = running.find((replay) => replay.tenant === tenant);
    if (own) {
      throw new ContextdError(
        "rate_limited",
        `Replay ${own.id} is running: wait for its end, or end it with replay.cancel.`,
        { replay_id: own.id },
      );
    }
    if (running.length >= MOST_RUNNING) {
      throw new ContextdError(
        "overloaded",
        "Other tenants' replays take all that there is for replays: try again later.",
      );
    }
  }

  #made(tenant: string, key: string | undefined): LabReplay | undefined {
    const id = key === undefined ? undefined : this.#byKey.get(`${tenant}/${key}`);
    return this.#replays.find((replay) => replay.id === id);
  }

  #keep(replay: LabReplay, key: string | undefined): void {
    this.#replays.push(replay);
    if (key !== undefined) this.#byKey.set(`${replay.tenant}/${key}`, replay.id);
    const oldest = this.#replays.find(({ status }) => status !== "running");
    if (this.#replays.length <= KEPT || !oldest) return;
    this.#replays = this.#replays.filter((kept) => kept !== oldest);
    for (const [own, id] of this.#byKey) if (id === oldest.id) this.#byKey.delete(own);
  }
}
