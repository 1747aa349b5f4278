import { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import { SEVERITIES } from "../model/events.ts";
import type { Registry } from "../model/strategy.ts";
import type { HealthRule } from "./rule.ts";
import { healthRules } from "./rules/index.ts";

/** The settings that choose and tune the rules: the `health_monitoring` section of a session's settings fits as it is. */
export interface HealthSettings {
  /** Figures that are watched. */
  readonly metrics: readonly string[];
  /** Figures that go to each rule which has an option of that name. */
  readonly alerts: Readonly<Record<string, number>>;
  /** A rule's own options by its name; they win over the shared ones. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly disabled_rules: readonly string[];
}

/** An alert's name becomes a label, and the name of a runbook. */
const ALERT = /^[A-Z][A-Za-z0-9]{0,63}$/;

/** Turns that the daemon can look back over. */
const MOST_TURNS = 10;

/**
 * Makes the rules that are on, all of the registry but for those that the settings switch off. `taken`: alerts that are
 * raised otherwise. Throws invalid_params for a rule of a plug-in that cannot be worked with, z.ZodError for options that
 * do not fit.
 */
export function configureRules(
  settings: HealthSettings,
  registry: Registry<HealthRule> = healthRules,
  taken: readonly string[] = [],
): readonly HealthRule[] {
  const rules: HealthRule[] = [];
  for (const [name, known] of Object.entries(registry)) {
    if (settings.disabled_rules.includes(name)) continue;
    const shape = known.options instanceof z.ZodObject ? known.options.shape : {};
    const shared = Object.entries(settings.alerts).filter(([option]) => Object.hasOwn(shape, option));
    const own = Object.hasOwn(settings.options, name) ? (settings.options[name] as object) : {};
    const rule = known.configure({ ...Object.fromEntries(shared), ...own });
    const problem = problemOf(rule, [...taken, ...rules.map(({ alert }) => alert)]);
    if (problem !== null) {
      throw new ContextdError("invalid_params", `The health rule ${name} cannot be used: ${problem}.`, {
        path: "health_monitoring",
        rule: name,
      });
    }
    if (rule.metric === null || settings.metrics.includes(rule.metric)) rules.push(rule);
  }
  return rules;
}

function problemOf(rule: HealthRule, taken: readonly string[]): string | null {
  if (!ALERT.test(rule.alert)) return "its alert has no name in CamelCase, of letters and digits";
  if (taken.includes(rule.alert)) return "its alert has a name that is taken";
  if (!SEVERITIES.includes(rule.severity)) return `its severity is none of ${SEVERITIES.join(", ")}`;
  const isCount = (turns: number) => Number.isInteger(turns) && turns >= 1 && turns <= MOST_TURNS;
  if (!isCount(rule.raiseAfter) || !isCount(rule.resolveAfter)) {
    return `raiseAfter and resolveAfter must be whole turns, 1 to ${MOST_TURNS}`;
  }
  return null;
}
