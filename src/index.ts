import { resolve } from "node:path";
import type { z } from "zod";
import { assembleManager } from "./assembly.ts";
import { builtIn } from "./built-in.ts";
import { type Config, loadConfig, NO_PLUGINS, NO_SOURCES } from "./config/index.ts";
import { type HelpingModels, openHelpingModels } from "./helping-models.ts";
import type { AnyCommand } from "./manager/commands/command.ts";
import { commands } from "./manager/commands/index.ts";
import type { ContextManager } from "./manager/manager.ts";
import { Publisher } from "./manager/publisher.ts";
import { systemClock } from "./model/clock.ts";
import { ContextdError } from "./model/errors.ts";
import type { Observer, PublishedEvent } from "./model/events.ts";
import type { JsonObject } from "./model/json.ts";
import { silentLog } from "./model/log.ts";
import { openNeedModel } from "./need-models.ts";
import { schemasFor } from "./open-config.ts";
import { invalidParams } from "./rpc/invalid-params.ts";
import { jsonSchemaOf } from "./rpc/json-schema.ts";
import { type Journal, openJournal } from "./store/index.ts";
import { ModelCatalogue, TokenCounter } from "./tokens/index.ts";

export { ContextdError } from "./model/errors.ts";
export type { Observer, PublishedEvent } from "./model/events.ts";

export type CommandName = keyof typeof commands;
export type Params<Name extends CommandName> = z.input<(typeof commands)[Name]["params"]>;
export type Result<Name extends CommandName> = z.output<(typeof commands)[Name]["result"]>;

export interface OpenOptions {
  /** Config file, YAML or JSON; the defaults hold without one. */
  readonly config?: string;
  /** Folder of the journal; without one it is held in memory and gone at the end. */
  readonly data?: string;
  /** Told of every committed event. */
  readonly onEvents?: (events: readonly PublishedEvent[]) => void;
}

/**
 * The manager in process: the same calls as over RPC, without the server.
 *
 *     const manager = await ContextWindowManager.open({ data: "./data" });
 *     await manager.call("session.open", { session_id: "s1", model: "gpt-4o" });
 *     const { messages } = await manager.call("on_turn_start", { session_id: "s1", messages: [...] });
 */
export class ContextWindowManager {
  readonly #manager: ContextManager;
  readonly #journal: Journal;
  readonly #counter: TokenCounter;
  readonly #models: HelpingModels;

  private constructor(manager: ContextManager, journal: Journal, counter: TokenCounter, models: HelpingModels) {
    this.#manager = manager;
    this.#journal = journal;
    this.#counter = counter;
    this.#models = models;
  }

  static async open(options: OpenOptions = {}): Promise<ContextWindowManager> {
    const schemas = schemasFor(builtIn);
    const config: Config = loadConfig({ ...NO_SOURCES, file: options.config ?? null }, schemas);
    const journal = await openJournal(
      options.data === undefined ? { kind: "memory" } : { kind: "sqlite", path: resolve(options.data) },
    );
    const counter = new TokenCounter({ tokenizer: config.tokenizer });
    const { onEvents } = options;
    const observers: Observer[] = onEvents ? [{ name: "listener", observe: onEvents }] : [];
    const publisher = new Publisher(
      { lastRow: await journal.lastSeq() },
      // The listener is the caller's own: its fault is reported as an unhandled one, and breaks no call.
      { observers, onFault: (_observer, error) => queueMicrotask(() => Promise.reject(error)) },
    );
    const catalogue = new ModelCatalogue(config.models);
    const models = openHelpingModels(config, {
      catalogue: () => catalogue,
      clock: systemClock,
      log: silentLog,
      observe: () => undefined,
    });
    const manager = assembleManager({
      config: () => config,
      catalogue: () => catalogue,
      plugins: NO_PLUGINS,
      journal,
      publisher,
      counter,
      clock: systemClock,
      needModel: openNeedModel(config),
      ...(models.summaries === null ? {} : { summaries: models.summaries }),
      judge: () => models.judge,
    });
    await manager.start();
    return new ContextWindowManager(manager, journal, counter, models);
  }

  /** Any call on a session. Throws ContextdError. */
  async call<Name extends CommandName>(name: Name, params: Params<Name>, tenant = "default"): Promise<Result<Name>> {
    if (!Object.hasOwn(commands, name)) {
      const legal = Object.keys(commands).join(", ");
      throw new ContextdError("method_not_found", `There is no call "${name}"; there are: ${legal}.`);
    }
    const command: AnyCommand = commands[name];
    const parsed = command.params.safeParse(params);
    if (!parsed.success) throw invalidParams(parsed.error, params, () => jsonSchemaOf(command.params, "input"));
    return this.#manager.execute<Result<Name>>(command, { tenant, traceparent: null }, parsed.data as JsonObject);
  }

  /** Waits for calls under way, then closes the journal. */
  async close(): Promise<void> {
    await this.#models.summaries?.stop();
    this.#models.close();
    await this.#manager.stop();
    await this.#journal.close();
    await this.#counter.close();
  }
}
