import type { Clock } from "../model/clock.ts";
import type { LlmBreakerState } from "../model/llm-call.ts";

export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** Time for which an opened breaker refuses, ms. */
  readonly cooldownMs: number;
  /** The cooldown doubles with each failed trial, up to this, ms. */
  readonly longestCooldownMs: number;
}

export const BREAKER_DEFAULTS: BreakerOptions = { failures: 5, cooldownMs: 10_000, longestCooldownMs: 300_000 };

/** What one request says of the backend; `nothing` when it was given up for reasons of our own. */
export type Verdict = "alive" | "fault" | "nothing";

/** Permission for one request. To be settled once. */
export type Settle = (verdict: Verdict) => void;

interface BreakerDependencies {
  readonly clock: Clock;
  readonly onChange?: (state: LlmBreakerState) => void;
}

/**
 * Keeps calls away from a backend that fails. Closed, it lets all pass and counts failures in a row; enough of them open
 * it, and it refuses for a cooldown. The first request after that is a trial (half open) and the only one: if it fails,
 * the cooldown starts again, twice as long; if the backend is alive, the breaker closes and all is forgotten. A trial
 * that tells nothing makes room for the next.
 *
 * Requests that were let pass in an earlier state do not count when they end.
 */
export class Breaker {
  readonly #options: BreakerOptions;
  readonly #clock: Clock;
  readonly #onChange: (state: LlmBreakerState) => void;
  #state: LlmBreakerState = "closed";
  #failures = 0;
  #cooldownMs: number;
  #openUntil = 0;
  #trying = false;
  /** Rises with each change of state. */
  #era = 0;

  constructor(options: BreakerOptions, { clock, onChange = () => {} }: BreakerDependencies) {
    this.#options = options;
    this.#cooldownMs = options.cooldownMs;
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** An open breaker whose cooldown is over reads half_open: the next request is let pass. */
  get state(): LlmBreakerState {
    return this.#state === "open" && this.#clock.monotonic() >= this.#openUntil ? "half_open" : this.#state;
  }

  /** Whether a request would be refused now. */
  get refuses(): boolean {
    const state = this.state;
    return state === "open" || (state === "half_open" && this.#trying);
  }

  /** Lets one request pass; null when it is refused. */
  enter(): Settle | null {
    if (this.refuses) return null;
    if (this.state === "half_open") {
      if (this.#state === "open") this.#become("half_open");
      this.#trying = true;
    }
    const era = this.#era;
    let settled = false;
    return (verdict) => {
      if (settled || era !== this.#era) return;
      settled = true;
      this.#settle(verdict);
    };
  }

  #settle(verdict: Verdict): void {
    const trial = this.#state === "half_open";
    if (trial) this.#trying = false;
    if (verdict === "alive") {
      this.#failures = 0;
      if (!trial) return;
      this.#cooldownMs = this.#options.cooldownMs;
      this.#become("closed");
    } else if (verdict === "fault") {
      this.#failures += 1;
      if (trial) {
        this.#cooldownMs = Math.min(this.#cooldownMs * 2, this.#options.longestCooldownMs);
        this.#open();
      } else if (this.#failures >= this.#options.failures) this.#open();
    }
  }

  #open(): void {
    this.#openUntil = this.#clock.monotonic() + this.#cooldownMs;
    this.#failures = 0;
    this.#become("open");
  }

  #become(state: LlmBreakerState): void {
    this.#state = state;
    this.#era += 1;
    this.#onChange(state);
  }
}
