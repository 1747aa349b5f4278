import type { Json } from "../model/json.ts";
import { ConfigError } from "./config-error.ts";
import { changedKeys, keepRestartSections, restartSections } from "./restart.ts";
import type { Config } from "./schema.ts";

export interface ReloadResult {
  readonly successful: boolean;
  /** What came of it, in a sentence or, for a refused config, a line a mistake. */
  readonly detail: string;
  /** Keys that changed and are in effect. */
  readonly changed: readonly string[];
  /** Keys that changed and wait for a restart. */
  readonly restart: readonly string[];
}

/** Told of a config that is now in effect. Throwing refuses it: the old one is put back. */
export type ConfigListener = (config: Config, previous: Config) => void;

/**
 * The config in effect, and its replacement by a better one. A reload reads and validates first; only a config
 * that is good as a whole replaces the current one, at once and for all listeners. Otherwise nothing changes.
 * Reloads asked for while one runs become one more, so that the last state of the file is always read.
 */
export class ConfigHolder {
  #current: Config;
  readonly #load: () => Config | Promise<Config>;
  readonly #listeners = new Set<ConfigListener>();
  #running: Promise<ReloadResult> | null = null;
  #next: Promise<ReloadResult> | null = null;

  constructor(initial: Config, load: () => Config | Promise<Config>) {
    this.#current = initial;
    this.#load = load;
  }

  get current(): Config {
    return this.#current;
  }

  /** Calls `listener` after each change, in order of subscription; the function returned ends that. */
  onChange(listener: ConfigListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never rejects: a bad config is a result. */
  reload(): Promise<ReloadResult> {
    if (!this.#running) {
      this.#running = this.#reloadOnce().finally(() => {
        this.#running = null;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = null;
      return this.reload();
    });
    return this.#next;
  }

  async #reloadOnce(): Promise<ReloadResult> {
    let loaded: Config;
    try {
      loaded = await this.#load();
    } catch (error) {
      return refused(error instanceof ConfigError ? error.message : `reading it failed: ${nameOf(error)}`);
    }
    const previous = this.#current;
    const differing = changedKeys(previous as unknown as Json, loaded as unknown as Json);
    const sections = restartSections(previous).map((path) => path.join("."));
    const waits = (key: string) => sections.some((section) => key === section || key.startsWith(`${section}.`));
    const restart = differing.filter(waits);
    const changed = differing.filter((key) => !waits(key));
    if (changed.length > 0) {
      const problem = this.#replace(keepRestartSections(previous, loaded));
      if (problem !== null) return refused(problem);
    }
    return { successful: true, detail: summary(changed, restart), changed, restart };
  }

  /** null when all listeners took it; otherwise why not, with the previous config back in effect. */
  #replace(config: Config): string | null {
    const previous = this.#current;
    const told: ConfigListener[] = [];
    this.#current = config;
    for (const listener of [...this.#listeners]) {
      try {
        told.push(listener);
        listener(config, previous);
      } catch (error) {
        this.#current = previous;
        for (const taker of told.slice(0, -1)) taker(previous, config);
        return `the daemon could not take it: ${nameOf(error)}`;
      }
    }
    return null;
  }
}

function refused(problem: string): ReloadResult {
  return {
    successful: false,
    detail: `kept the running config; the new one was refused\n${problem}`,
    changed: [],
    restart: [],
  };
}

function summary(changed: readonly string[], restart: readonly string[]): string {
  if (changed.length === 0 && restart.length === 0) return "nothing changed";
  return [
    changed.length === 0 ? null : `in effect: ${changed.join(", ")}`,
    restart.length === 0 ? null : `waiting for a restart: ${restart.join(", ")}`,
  ]
    .filter((part) => part !== null)
    .join("; ");
}

function nameOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : "an error that is none";
}
