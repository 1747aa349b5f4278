import type { Hook } from "../hook.ts";
import { type SummaryOutcome, takeOutcome } from "./summary-job.ts";

/** What a call that may wait for a summary under way has waited for. */
export interface Waited {
  readonly ms: number;
  /** null: the time was up first. */
  readonly outcome: SummaryOutcome | null;
}

/** Waits for the summary, if there is one, as long as a call may. Never rejects. */
export async function waitedFor(underWay: Promise<SummaryOutcome> | null, mostMs: number): Promise<Waited | null> {
  if (underWay === null) return null;
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), mostMs);
  });
  const outcome = await Promise.race([underWay, timeUp]);
  clearTimeout(timer);
  return { ms: Math.round(performance.now() - began), outcome };
}

/** Takes in what was waited for, ahead of its own delivery, which then finds nothing to do. */
export function takeWaited(hook: Hook, waited: Waited | null | undefined): void {
  if (!waited) return;
  hook.waitedMs = waited.ms;
  const { job } = hook.session;
  if (job && waited.outcome) takeOutcome(hook, job.id, waited.outcome);
}
