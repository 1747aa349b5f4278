import { alertChanges } from "../health/index.ts";
import { isActive, OWN_ALERTS, raise, raiseAlert, resolveAlert } from "./alerts.ts";
import type { Hook } from "./hook.ts";

/** Turns without another overflow after which the alert of one ends: the provider takes the prompts again. */
const OVERFLOW_TURNS = 3;
/** Turns after which nobody waits for a checkpoint any more that was refused. */
const REJECTED_TURNS = 10;

/** Holds the turn to the health rules, once its edits are made: raises the alerts that are due, and ends those that are over. */
export function tellHealth(hook: Hook): void {
  const { session, services } = hook;
  const { healthRules } = services;
  for (const alert of Object.keys(session.alerts)) {
    const isWatched = OWN_ALERTS.includes(alert) || healthRules.some((rule) => rule.alert === alert);
    if (!isWatched) resolveAlert(hook, alert, "Its rule is no longer on.");
  }
  const changes = alertChanges(healthRules, session.health, (alert) => isActive(session, alert));
  for (const { raised, summary, ...alert } of changes) {
    if (raised) raise(hook, alert, summary);
    else resolveAlert(hook, alert.alert, summary);
  }
  const { overflow_turn: overflow, rejected_turn: rejected } = session.health;
  if (overflow !== null && session.turn - overflow >= OVERFLOW_TURNS) {
    resolveAlert(hook, "ContextOverflow", `The provider has taken the prompts of ${session.turn - overflow} turns.`);
  }
  if (rejected !== null && session.turn - rejected >= REJECTED_TURNS) {
    resolveAlert(hook, "CheckpointRejected", `The session went on without it for ${session.turn - rejected} turns.`);
  }
}

/** Tells that a prompt was refused as too long, or an answer cut for want of room. */
export function tellOverflow(hook: Hook, attempt: number): void {
  const { turn } = hook.session;
  const what =
    attempt === 0
      ? `The answer of turn ${turn} was cut because the window was full.`
      : `The provider refused the prompt of turn ${turn} as too long.`;
  raiseAlert(hook, "ContextOverflow", what);
}

/** Tells that a prompt that was refused is given up: the turn cannot go on. */
export function tellGivenUp(hook: Hook, attempt: number): void {
  const { alerts, turn } = hook.session;
  if (alerts["ContextOverflow"]?.severity === "critical") return;
  resolveAlert(hook, "ContextOverflow", "It became critical.");
  raiseAlert(
    hook,
    "ContextOverflow",
    `The provider refused the prompt of turn ${turn} as too long ${attempt === 1 ? "once" : `${attempt} times`}, and it is given up.`,
    "critical",
  );
}
