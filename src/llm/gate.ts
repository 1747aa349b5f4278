import { LlmError } from "./error.ts";

export interface GateOptions {
  /** Calls under way at once. */
  readonly concurrency: number;
  /** Calls that may wait for their turn. */
  readonly queue: number;
}

/** Lets a bounded number of calls pass at once; a bounded number of others wait their turn, first come, first served. */
export class Gate {
  readonly #options: GateOptions;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Resolves with what ends the stay, to be called once. Rejects with the signal's reason when it is aborted before the
   * turn comes, and with LlmError `queue_full` at once when too many wait already.
   */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#inside < this.#options.concurrency) this.#inside += 1;
    else await this.#turn(signal);
    return () => this.#leave();
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#options.queue) throw new LlmError("queue_full");
    return new Promise((resolve, reject) => {
      const admitted = (): void => {
        signal.removeEventListener("abort", gaveUp);
        resolve();
      };
      const gaveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(admitted), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", gaveUp, { once: true });
      this.#waiting.push(admitted);
    });
  }

  /** The place goes to the next in the queue, so that nobody who comes later slips in between. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#inside -= 1;
  }
}
