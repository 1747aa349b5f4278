import { LlmError } from "./error.ts";

interface CallSpanDependencies {
  /** Monotonic, ms. */
  readonly now: () => number;
  /** Aborted when the caller gives up. */
  readonly caller?: AbortSignal;
  readonly onEnd?: () => void;
}

/**
 * The time that one call has. Its signal is aborted with an LlmError: `deadline` when the time is over, `aborted` when the
 * caller gives up, or what `abort` is given.
 */
export class CallSpan implements Disposable {
  readonly #controller = new AbortController();
  readonly #dependencies: CallSpanDependencies;
  readonly #timer: NodeJS.Timeout;
  readonly #endsAt: number;
  readonly #giveUp = (): void => this.abort(new LlmError("aborted"));

  constructor(ms: number, dependencies: CallSpanDependencies) {
    const { now, caller } = dependencies;
    this.#dependencies = dependencies;
    this.#endsAt = now() + ms;
    this.#timer = setTimeout(() => this.abort(new LlmError("deadline")), ms);
    if (caller?.aborted === true) this.#giveUp();
    else caller?.addEventListener("abort", this.#giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Time that is left, ms. */
  get remainingMs(): number {
    return this.#endsAt - this.#dependencies.now();
  }

  abort(error: LlmError): void {
    this.#controller.abort(error);
  }

  [Symbol.dispose](): void {
    const { caller, onEnd } = this.#dependencies;
    clearTimeout(this.#timer);
    caller?.removeEventListener("abort", this.#giveUp);
    onEnd?.();
  }
}
