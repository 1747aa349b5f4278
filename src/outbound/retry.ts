import { setTimeout as sleep } from "node:timers/promises";

/** Longest wait before the second request, ms; doubled with each further one. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8_000;

export type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export const pause: Pause = async (ms, signal) => {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
};

/**
 * Wait before another request after `attempt` failed ones, ms: full jitter, that is anything up to a bound that doubles
 * (Brooker, "Exponential Backoff And Jitter", 2015), so that clients that failed together do not return together.
 */
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1));
}

/**
 * How long a reply asks to be left alone, ms: `retry-after-ms`, or Retry-After as seconds or as an HTTP date
 * (RFC 9110, 10.2.3). Undefined when it says nothing that can be read; never negative.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const exact = numberIn(headers["retry-after-ms"]);
  if (exact !== undefined) return exact;
  const header = headers["retry-after"];
  const seconds = numberIn(header);
  if (seconds !== undefined) return seconds * 1000;
  const date = typeof header === "string" && /[a-z]/i.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function numberIn(value: string | string[] | undefined): number | undefined {
  return typeof value === "string" && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : undefined;
}
