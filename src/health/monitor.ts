import type { Severity } from "../model/events.ts";
import type { HealthRule, Judgement } from "./rule.ts";
import type { HealthState } from "./state.ts";
import { type HealthView, viewAt } from "./view.ts";

/** An alert to raise or to end. */
export interface AlertChange {
  readonly alert: string;
  readonly severity: Severity;
  readonly raised: boolean;
  /** One sentence with figures. */
  readonly summary: string;
}

const NOTHING_LEFT = "There is nothing left to judge by.";

/**
 * What the running turn changes: an alert is raised when its rule has found as many turns in a row bad as it asks for,
 * and ended when it has found so many good. In between it stays as it is: between two changes of one alert there are
 * always the turns that the rule asks for. Costs the same for any length of session.
 */
export function alertChanges(
  rules: readonly HealthRule[],
  state: HealthState,
  isActive: (alert: string) => boolean,
): AlertChange[] {
  const views: (HealthView | null)[] = [];
  const view = (back: number) => {
    if (views[back] === undefined) views[back] = viewAt(state, back);
    return views[back];
  };
  const judge = (rule: HealthRule, back: number) => {
    const seen = view(back);
    return seen === null ? null : rule.judge(seen);
  };
  return rules.flatMap((rule): AlertChange[] => {
    const { alert, severity } = rule;
    const now = judge(rule, 0);
    const holds = (turns: number, isSo: (judgement: Judgement | null) => boolean) =>
      isSo(now) && Array.from({ length: turns - 1 }, (_, at) => judge(rule, at + 1)).every(isSo);
    if (!isActive(alert)) {
      if (now === null || !holds(rule.raiseAfter, isBad)) return [];
      return [{ alert, severity, raised: true, summary: now.summary }];
    }
    if (!holds(rule.resolveAfter, isGood)) return [];
    return [{ alert, severity, raised: false, summary: now?.summary ?? NOTHING_LEFT }];
  });
}

/** How each rule finds the running turn. */
export function standings(
  rules: readonly HealthRule[],
  state: HealthState,
): { readonly rule: HealthRule; readonly judgement: Judgement | null }[] {
  const view = viewAt(state, 0);
  return rules.map((rule) => ({ rule, judgement: view === null ? null : rule.judge(view) }));
}

function isBad(judgement: Judgement | null): boolean {
  return judgement?.level === "bad";
}

function isGood(judgement: Judgement | null): boolean {
  return judgement === null || judgement.level === "good";
}
