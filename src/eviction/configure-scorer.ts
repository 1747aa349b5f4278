import { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import type { Registry } from "../model/strategy.ts";
import type { Scorer } from "./scorer.ts";
import { scorers } from "./scorers/index.ts";

/** The settings that choose and tune a policy: the `eviction` section of a session's settings fits as it is. */
export interface ScorerSettings {
  readonly policy: string;
  /** The policy's own options; they win over the shared settings below. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly weights?: Readonly<Record<string, number>>;
  readonly type_ttl?: Readonly<Record<string, number | null>>;
}

/** Settings that stand beside `options` and go to each policy that has an option of that name. */
const SHARED = ["weights", "type_ttl"] as const;

/**
 * Makes the scorer that the settings name.
 * Throws invalid_params for an unknown policy, z.ZodError for options that do not fit.
 */
export function configureScorer(settings: ScorerSettings, registry: Registry<Scorer> = scorers): Scorer {
  const chosen = Object.hasOwn(registry, settings.policy) ? registry[settings.policy] : undefined;
  if (chosen === undefined) {
    const legal = Object.keys(registry);
    throw new ContextdError(
      "invalid_params",
      `There is no eviction policy of that name; choose one of ${legal.join(", ")}.`,
      { path: "eviction.policy", legal },
    );
  }
  const known = chosen.options instanceof z.ZodObject ? chosen.options.shape : {};
  const shared: Record<string, unknown> = {};
  for (const name of SHARED) {
    if (Object.hasOwn(known, name) && settings[name] !== undefined) shared[name] = settings[name];
  }
  return chosen.configure({ ...shared, ...settings.options });
}
