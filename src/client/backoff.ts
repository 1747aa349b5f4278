export interface Backoff {
  /** Milliseconds before the first new attempt. */
  readonly firstMs: number;
  /** Longest wait, milliseconds. */
  readonly longestMs: number;
}

/**
 * Wait before the given new attempt (1, 2, …), in milliseconds: doubling, cut at `longestMs`, then a random half to
 * whole of it, so that clients cut off together do not come back together.
 */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number): number {
  const whole = Math.min(backoff.longestMs, backoff.firstMs * 2 ** Math.min(attempt - 1, 30));
  return whole * (0.5 + random() / 2);
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
