import type { Hook } from "../hook.ts";
import { lastCheckpoint, saveCheckpoint } from "./checkpoint.ts";

/** Turns between two checkpoints that are saved because the window fills up. */
const TURNS_BETWEEN = 5;

/**
 * Saves a checkpoint where the call asks for one by what it told: a subtask was done, the provider refused the prompt,
 * or the window is nearly full.
 */
export function saveWhenDue(hook: Hook): void {
  const { events } = hook;
  if (events.some(({ type }) => type === "checkpoint.saved")) return;
  if (events.some(({ type, data }) => type === "task.updated" && data.newly_done > 0)) {
    saveCheckpoint(hook, "milestone");
  } else if (events.some(({ type }) => type === "overflow.reported")) saveCheckpoint(hook, "overflow");
  else if (isFillingUp(hook)) saveCheckpoint(hook, "threshold");
}

/** Whether the call measured the window that full; where it stays so, only now and then. */
function isFillingUp({ events, session, services }: Hook): boolean {
  const { auto_save_threshold: threshold } = services.settings.cross_window;
  if (!events.some(({ type, data }) => type === "pressure.measured" && data.utilization >= threshold)) return false;
  const last = lastCheckpoint(session);
  return last?.windowId !== session.windowId || session.turn - last.turn >= TURNS_BETWEEN;
}
