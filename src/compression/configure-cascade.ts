import { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import type { Registry } from "../model/strategy.ts";
import type { CompressionMethod } from "./method.ts";

/** The settings that order and tune the cascade: the `compression` section of a session's settings fits as it is. */
export interface CascadeSettings {
  /** Share of the window, as text -> name of the step. */
  readonly cascade: Readonly<Record<string, string>>;
  readonly options: Readonly<Record<string, unknown>>;
  readonly compaction_utilization_threshold: number;
  readonly summarization_threshold_tokens: number;
}

/** One step: a method, or the place of the eviction policy, which each pass makes for itself. */
export interface ConfiguredStep {
  readonly threshold: number;
  readonly method: CompressionMethod | typeof EVICTION;
}

/** The step that is no compression method: eviction by the policy in force. */
export const EVICTION = "eviction";

const COMPACTION = "conversation_compaction";
const LAST_RESORT = "head_tail";

/**
 * The steps that the settings name, in the order in which a pass tries them. Eviction stands first where the cascade
 * does not name it, since replays show it to lose least; cutting the largest texts stands last, whatever is named.
 * Throws invalid_params for an unknown method, z.ZodError for options that do not fit.
 */
export function configureCascade(
  settings: CascadeSettings,
  registry: Registry<CompressionMethod>,
): readonly ConfiguredStep[] {
  const named = Object.entries(settings.cascade).map(([threshold, name]) => ({ threshold: Number(threshold), name }));
  const has = (wanted: string) => named.some(({ name }) => name === wanted);
  if (!has(EVICTION)) named.push({ threshold: 0, name: EVICTION });
  if (!has(COMPACTION)) named.push({ threshold: settings.compaction_utilization_threshold, name: COMPACTION });
  const steps = named.sort(
    (a, b) => a.threshold - b.threshold || Number(b.name === EVICTION) - Number(a.name === EVICTION),
  );
  return [...steps, { threshold: 1, name: LAST_RESORT }].map(({ threshold, name }) => ({
    threshold,
    method: name === EVICTION ? EVICTION : configured(name, settings, registry),
  }));
}

function configured(name: string, settings: CascadeSettings, registry: Registry<CompressionMethod>): CompressionMethod {
  const chosen = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (chosen === undefined) {
    const legal = [EVICTION, ...Object.keys(registry)];
    throw new ContextdError(
      "invalid_params",
      `There is no compression method of that name; choose one of ${legal.join(", ")}.`,
      { path: "compression.cascade", legal },
    );
  }
  const known = chosen.options instanceof z.ZodObject ? chosen.options.shape : {};
  const shared =
    name === "tool_result_summarization" && Object.hasOwn(known, "min_tokens")
      ? { min_tokens: settings.summarization_threshold_tokens }
      : {};
  return chosen.configure({ ...shared, ...(settings.options[name] as Record<string, unknown> | undefined) });
}
