/**
 * The only source of time. The core is given one, so that replay and tests run on a virtual clock.
 * `now` is wall time in milliseconds since the Unix epoch and may jump; `monotonic` is in milliseconds
 * from an arbitrary origin and never goes back: durations and timeouts use it alone.
 */
export interface Clock {
  now(): number;
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};
