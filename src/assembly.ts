import {
  type CompressionMethod,
  type ConfiguredStep,
  compressionMethods,
  configureCascade,
} from "./compression/index.ts";
import { type Config, type Plugins, resolveSettings, type SessionSettings } from "./config/index.ts";
import { configureScorer, type Scorer, scorers } from "./eviction/index.ts";
import { configureRules, type HealthRule, healthRules } from "./health/index.ts";
import type { NeedModel } from "./ledger/index.ts";
import { OWN_ALERTS } from "./manager/alerts.ts";
import type { JudgeModel } from "./manager/commands/command.ts";
import type { Summaries } from "./manager/jobs/summary-job.ts";
import type { LearnedModels } from "./manager/learned-models.ts";
import { ContextManager } from "./manager/manager.ts";
import type { Publisher } from "./manager/publisher.ts";
import type { Clock } from "./model/clock.ts";
import type { Registry } from "./model/strategy.ts";
import type { Journal } from "./store/index.ts";
import type { ModelCatalogue, TokenCounter } from "./tokens/index.ts";

export interface ManagerParts {
  /** The config in effect; asked at each call, so that a reload holds from the next one on. */
  readonly config: () => Config;
  readonly catalogue: () => ModelCatalogue;
  readonly plugins: Plugins;
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly counter: TokenCounter;
  readonly clock: Clock;
  /** Scores the lines that passes carry over. */
  readonly needModel: NeedModel;
  /** Makes summaries off the hot path; absent: passes summarise extractively. */
  readonly summaries?: Summaries;
  /** The model that judges fidelity; absent or null: none is configured. */
  readonly judge?: () => JudgeModel | null;
  /** What is learned of models, as far as it is known before `start`; absent: nothing yet. */
  readonly learned?: LearnedModels;
}

/** The manager as the daemon and the library have it: the parts, with a config's settings and policies. */
export function assembleManager(parts: ManagerParts): ContextManager {
  const { store, server } = parts.config();
  return new ContextManager(
    {
      snapshotEvery: store.snapshot_every,
      unloadIdleMs: store.unload_idle_ms,
      sessionsPerTenant: server.limits.sessions_per_tenant,
    },
    {
      ...parts,
      settings(profile, own) {
        const config = parts.config();
        const name = profile ?? config.profile;
        return { profile: name, settings: resolveSettings(config, name, own) };
      },
      scorer: scorerOf(parts.plugins),
      cascade: cascadeOf(parts.plugins),
      healthRules: rulesOf(parts.plugins),
    },
  );
}

/** Policies by the settings they were made for. */
function scorerOf(plugins: Plugins): (settings: SessionSettings) => Scorer {
  const registry = { ...scorers, ...(plugins.scorers as Registry<Scorer>) };
  return madeOnce((settings) => configureScorer(settings.eviction, registry));
}

/** Cascades by the settings they were made for. */
function cascadeOf(plugins: Plugins): (settings: SessionSettings) => readonly ConfiguredStep[] {
  const registry = { ...compressionMethods, ...(plugins.compression_methods as Registry<CompressionMethod>) };
  return madeOnce((settings) => configureCascade(settings.compression, registry));
}

/** Health rules by the settings they were made for. */
function rulesOf(plugins: Plugins): (settings: SessionSettings) => readonly HealthRule[] {
  const registry = { ...healthRules, ...(plugins.health_rules as Registry<HealthRule>) };
  return madeOnce((settings) => configureRules(settings.health_monitoring, registry, OWN_ALERTS));
}

/** Makes a thing once for the same settings: they are one object as long as they are equal. */
function madeOnce<T>(make: (settings: SessionSettings) => T): (settings: SessionSettings) => T {
  const made = new WeakMap<SessionSettings, T>();
  return (settings) => {
    let thing = made.get(settings);
    if (thing === undefined) {
      thing = make(settings);
      made.set(settings, thing);
    }
    return thing;
  };
}
