import { ContextdError } from "../model/errors.ts";

export interface AdmissionOptions {
  /** Calls in flight in the whole daemon. */
  readonly inFlight: number;
  /** Calls in flight of one tenant, so that a noisy one leaves room for the others. */
  readonly perTenant: number;
}

/**
 * Lets calls in while there is room and sheds the rest at once: what cannot be served soon is better refused than
 * queued. Starts to refuse everything when the daemon drains.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #ofTenant = new Map<string, number>();
  #inFlight = 0;
  #draining = false;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Takes a place for a call, or throws. The answer gives the place back; calling it again does nothing. */
  enter(tenant: string): () => void {
    this.check(tenant);
    this.#inFlight++;
    this.#ofTenant.set(tenant, (this.#ofTenant.get(tenant) ?? 0) + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#leave(tenant);
    };
  }

  /** Throws `draining`, `overloaded` or `rate_limited` when a call of the tenant has no place now. */
  check(tenant: string): void {
    if (this.#draining) {
      throw new ContextdError("draining", "The daemon is shutting down: call again after it has restarted.", {
        retry_after_ms: 2000,
      });
    }
    if (this.#inFlight >= this.#options.inFlight) {
      throw new ContextdError(
        "overloaded",
        "The daemon has all the calls in hand that it takes: wait and call again.",
        {
          retry_after_ms: 1000,
        },
      );
    }
    if ((this.#ofTenant.get(tenant) ?? 0) >= this.#options.perTenant) {
      throw new ContextdError("rate_limited", "The tenant has all the calls in flight that it may: wait for some.", {
        retry_after_ms: 1000,
      });
    }
  }

  /** From now on no call is let in. Calls inside go on. */
  drain(): void {
    this.#draining = true;
  }

  #leave(tenant: string): void {
    this.#inFlight--;
    const left = (this.#ofTenant.get(tenant) ?? 1) - 1;
    if (left > 0) this.#ofTenant.set(tenant, left);
    else this.#ofTenant.delete(tenant);
  }
}
