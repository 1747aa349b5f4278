import { type Config, type Plugins, resolveSettings, type SessionSettings } from "./config/index.ts";
import { configureScorer, type Scorer, scorers } from "./eviction/index.ts";
import type { NeedModel } from "./ledger/index.ts";
import type { Calibrations } from "./manager/calibrations.ts";
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
  /** What is known of models' counts; absent: nothing yet. */
  readonly calibrations?: Calibrations;
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
    },
  );
}

/** Scorers by the settings they were made for: made once, since settings are one object as long as they are equal. */
function scorerOf(plugins: Plugins): (settings: SessionSettings) => Scorer {
  const registry = { ...scorers, ...(plugins.scorers as Registry<Scorer>) };
  const made = new WeakMap<SessionSettings, Scorer>();
  return (settings) => {
    let scorer = made.get(settings);
    if (!scorer) {
      scorer = configureScorer(settings.eviction, registry);
      made.set(settings, scorer);
    }
    return scorer;
  };
}
