import type { Clock } from "../model/clock.ts";

/** Length of a step, ms. */
export const MINUTE_MS = 60_000;
/** Steps remembered: an hour. */
const REMEMBERED = 60;
/** Tenants remembered; beyond them the one that was quiet for longest is forgotten. */
const TENANTS = 1_000;

/**
 * The last hour in steps of one minute, by tenant, in memory: what is told as a line and not as a total. A step exists
 * once something was counted in it. Steps follow the monotonic clock, so a clock that is set does not bend the line.
 */
export class Minutes<Step> {
  readonly #clock: Clock;
  readonly #begin: () => Step;
  readonly #tenants = new Map<string, Map<number, Step>>();

  constructor(clock: Clock, begin: () => Step) {
    this.#clock = clock;
    this.#begin = begin;
  }

  /** The step of now, to be counted in. */
  current(tenant: string): Step {
    const minute = this.#minute();
    const known = this.#tenants.get(tenant);
    const steps = known ?? new Map<number, Step>();
    const now = steps.get(minute);
    if (now !== undefined) return now;
    const step = this.#begin();
    steps.set(minute, step);
    for (const past of steps.keys()) if (past <= minute - REMEMBERED) steps.delete(past);
    // Put last: the tenants stand in the order in which they last began a step.
    this.#tenants.delete(tenant);
    this.#tenants.set(tenant, steps);
    if (this.#tenants.size > TENANTS) this.#tenants.delete(this.#tenants.keys().next().value as string);
    return step;
  }

  /** The 60 steps up to the one of now, which is not over; undefined where nothing was counted. */
  read(tenant: string): readonly (Step | undefined)[] {
    const steps = this.#tenants.get(tenant);
    const minute = this.#minute();
    return Array.from({ length: REMEMBERED }, (_, index) => steps?.get(minute - REMEMBERED + 1 + index));
  }

  /** Share of the current step that is over, in (0, 1]. */
  get elapsed(): number {
    return Math.max(1, this.#clock.monotonic() % MINUTE_MS) / MINUTE_MS;
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / MINUTE_MS);
  }
}
