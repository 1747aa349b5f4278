import type { Clock } from "../model/clock.ts";
import type { LlmBreakerReading, LlmCall, LlmRole } from "../model/llm-call.ts";
import { backoffMs, type Lookup, lookupAll, type Pause, pause } from "../outbound/index.ts";
import { BREAKER_DEFAULTS, Breaker } from "./breaker.ts";
import { CallSpan } from "./call-span.ts";
import { costUsd, type LlmPrices } from "./cost.ts";
import { asLlmError, LLM_FAILURES, LlmError } from "./error.ts";
import { Exchange } from "./exchange.ts";
import { Gate } from "./gate.ts";
import { BackendLimits, type LlmLimits } from "./limits/backend-limits.ts";
import type { Ask } from "./limits/source.ts";
import type { WireName } from "./wire/index.ts";
import type { Endpoint, Prompt, StopReason, Usage } from "./wire/wire.ts";

export interface LlmOptions extends Omit<Endpoint, "apiKey"> {
  readonly role: LlmRole;
  readonly api: WireName;
  /** For one call: waiting in the queue, all requests and the waits between them, ms. */
  readonly deadlineMs: number;
  /** Requests that one call may take, the first included. */
  readonly attempts: number;
  readonly concurrency: number;
  /** Calls that may wait for their turn; 100 unless given. */
  readonly queue?: number;
  readonly maxResponseBytes: number;
  /** Upper bound of what a call may ask for, tokens. */
  readonly maxOutputTokens: number;
  /** auto: from the window that the backend or the catalogue tells. */
  readonly maxInputTokens: number | "auto";
}

export interface LlmDependencies {
  readonly clock: Clock;
  /** Asked before each request, so that a key may be renewed while we run. Throws LlmError when there should be one. */
  readonly apiKey?: () => string | null;
  /** Told of each finished call. */
  readonly observe?: (call: LlmCall) => void;
  readonly pricesOf?: (model: string) => LlmPrices | null;
  /** Window of a model whose backend tells none, tokens; null: not known. */
  readonly windowOf?: (model: string) => number | null;
  /** Shared by clients of one backend; each has its own unless given. */
  readonly breaker?: Breaker;
  readonly gate?: Gate;
  readonly random?: () => number;
  readonly pause?: Pause;
  readonly lookup?: Lookup;
}

export interface CompletionRequest extends Prompt {
  /** Longest answer, tokens; never more than the client's own limit. */
  readonly maxOutputTokens?: number;
  /** Gives the call up. */
  readonly signal?: AbortSignal;
  /**
   * Asked before each request: false gives the call up without it. What is on its way is waited for all the same, since
   * how it ends is all that the breaker learns of a backend that hangs.
   */
  readonly isWanted?: () => boolean;
}

export interface Completion {
  /** Never empty. Untrusted: what a model says is data. */
  readonly text: string;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** The model that answered, by its own name. */
  readonly model: string;
  /** max_tokens: the text was cut. */
  readonly stopReason: StopReason;
}

const QUEUE = 100;
/** For all questions about limits together, ms: they are asked while somebody waits to summarise. */
const LIMITS_MS = 3_000;
/** Input that nearly every model takes, in tokens: where nothing is known of the window. */
const MODEST_INPUT = 8_000;
/** Share of the window that input and output fill at the most: our counts of foreign tokens are estimates. */
const WINDOW_SHARE = 0.9;

/** Characters of a model's name that are believed: it is told on in events and journals. */
const LONGEST_NAME = 200;

/** What is known of a call while it runs. */
interface Tally {
  attempts: number;
  usage: Usage | null;
}

/**
 * Asks one model, one prompt at a time: no streaming, no tools, no conversation. A call ends inside its deadline, with a
 * text or with an LlmError. What fails for a passing reason is sent again; a backend that keeps failing is left alone.
 */
export class LlmClient {
  readonly #options: LlmOptions;
  readonly #dependencies: LlmDependencies;
  readonly #exchange: Exchange;
  readonly #breaker: Breaker;
  readonly #gate: Gate;
  readonly #limits: BackendLimits;
  readonly #spans = new Set<CallSpan>();
  #closed = false;

  constructor(options: LlmOptions, dependencies: LlmDependencies) {
    const { clock, apiKey } = dependencies;
    const endpoint = (): Endpoint => ({ ...options, apiKey: apiKey?.() ?? null });
    this.#options = options;
    this.#dependencies = dependencies;
    this.#exchange = new Exchange(options, {
      endpoint,
      lookup: dependencies.lookup ?? lookupAll,
      now: () => clock.now(),
    });
    this.#breaker = dependencies.breaker ?? new Breaker(BREAKER_DEFAULTS, { clock });
    this.#gate = dependencies.gate ?? new Gate({ concurrency: options.concurrency, queue: options.queue ?? QUEUE });
    this.#limits = new BackendLimits(options.api, {
      clock,
      endpoint,
      within: (work) => this.#within(work),
    });
  }

  /** The model as the configuration names it. */
  get model(): string {
    return this.#options.model;
  }

  /** Longest answer, tokens. */
  get maxOutputTokens(): number {
    return this.#options.maxOutputTokens;
  }

  /** False while asking would fail at once. */
  available(): boolean {
    return !this.#closed && !this.#breaker.refuses;
  }

  /** One answer to one prompt. Rejects with LlmError only. */
  async complete(request: CompletionRequest): Promise<Completion> {
    const { clock } = this.#dependencies;
    const started = clock.monotonic();
    const tally: Tally = { attempts: 0, usage: null };
    let outcome = "ok";
    using span = this.#begin(this.#options.deadlineMs, request.signal);
    try {
      return await this.#inTurn(request, span, tally);
    } catch (error) {
      const failure = asLlmError(error);
      outcome = failure.reason;
      throw failure;
    } finally {
      this.#observe(tally, outcome, (clock.monotonic() - started) / 1000);
    }
  }

  /** The window that the model is served with: told by the backend, else by the catalogue. Never rejects. */
  async limits(): Promise<LlmLimits> {
    const told = this.#breaker.refuses || this.#closed ? this.#limits.known : await this.#limits.read();
    if (told.contextTokens !== null) return told;
    const catalogued = this.#dependencies.windowOf?.(this.model) ?? null;
    return catalogued === null ? told : { contextTokens: catalogued, source: "catalogue" };
  }

  /** How long a prompt may be, in tokens, beside an answer of the longest length. Never rejects. */
  async maxInputTokens(): Promise<number> {
    const { maxInputTokens, maxOutputTokens } = this.#options;
    if (maxInputTokens !== "auto") return maxInputTokens;
    const { contextTokens } = await this.limits();
    if (contextTokens === null) return MODEST_INPUT;
    return Math.max(1, Math.floor(contextTokens * WINDOW_SHARE) - maxOutputTokens);
  }

  /** Tokens of a prompt as the backend counts them; null when it does not. Never rejects. */
  async countTokens(prompt: Prompt): Promise<number | null> {
    return this.#breaker.refuses || this.#closed ? null : this.#limits.count(prompt);
  }

  breaker(): LlmBreakerReading {
    return { provider: this.#exchange.provider, model: this.model, state: this.#breaker.state };
  }

  /** Ends what is under way with `closed`, and refuses what comes after. */
  close(): void {
    this.#closed = true;
    for (const span of this.#spans) span.abort(new LlmError("closed"));
  }

  #begin(ms: number, signal?: AbortSignal): CallSpan {
    const span = new CallSpan(ms, {
      now: () => this.#dependencies.clock.monotonic(),
      ...(signal && { caller: signal }),
      onEnd: () => this.#spans.delete(span),
    });
    if (this.#closed) span.abort(new LlmError("closed"));
    this.#spans.add(span);
    return span;
  }

  async #inTurn(request: CompletionRequest, span: CallSpan, tally: Tally): Promise<Completion> {
    if (this.#breaker.refuses) throw new LlmError("breaker_open");
    const leave = await this.#gate.enter(span.signal);
    try {
      return await this.#withRetries(request, span, tally);
    } finally {
      leave();
    }
  }

  async #withRetries(request: CompletionRequest, span: CallSpan, tally: Tally): Promise<Completion> {
    let last: LlmError | null = null;
    for (;;) {
      if (request.isWanted?.() === false) throw new LlmError("aborted");
      const settle = this.#breaker.enter();
      if (!settle) throw last ?? new LlmError("breaker_open");
      tally.attempts += 1;
      try {
        const completion = await this.#ask(request, span, tally);
        settle("alive");
        return completion;
      } catch (error) {
        last = asLlmError(error);
        settle(LLM_FAILURES[last.reason].tells);
      }
      await this.#beforeRetry(last, span, tally.attempts);
    }
  }

  /** Waits for the time of the next request; throws the failure where there is none to come. */
  async #beforeRetry(failure: LlmError, span: CallSpan, attempts: number): Promise<void> {
    const { random = Math.random, pause: wait = pause } = this.#dependencies;
    if (!failure.retryable || span.signal.aborted || attempts >= this.#options.attempts) throw failure;
    if (this.#breaker.refuses) throw failure;
    const ms = failure.retryAfterMs ?? backoffMs(attempts, random);
    if (ms >= span.remainingMs) throw failure;
    await wait(ms, span.signal);
  }

  async #ask(request: CompletionRequest, span: CallSpan, tally: Tally): Promise<Completion> {
    const { maxOutputTokens: most } = this.#options;
    const outputTokens = Math.min(request.maxOutputTokens ?? most, most);
    const { text, stopReason, model, usage } = await this.#exchange.prompt(request, outputTokens, span.signal);
    tally.usage = usage;
    if (stopReason === "filtered") throw new LlmError("filtered");
    if (text.trim() === "") throw new LlmError("empty");
    return {
      text,
      inputTokens: usage?.input ?? null,
      outputTokens: usage?.output ?? null,
      model: (model ?? this.model).slice(0, LONGEST_NAME),
      stopReason,
    };
  }

  /** Questions about limits, beside the calls: bounded in time together, told to nobody. */
  async #within<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    using span = this.#begin(LIMITS_MS);
    return await work((request) => this.#exchange.question(request, span.signal));
  }

  #observe({ attempts, usage }: Tally, outcome: string, seconds: number): void {
    const { observe, pricesOf } = this.#dependencies;
    if (!observe) return;
    const prices = pricesOf?.(this.model) ?? null;
    observe({
      role: this.#options.role,
      provider: this.#exchange.provider,
      model: this.model,
      operation: "chat",
      outcome,
      seconds,
      inputTokens: usage?.input ?? null,
      outputTokens: usage?.output ?? null,
      usd: usage && prices ? costUsd(usage, prices) : null,
      attempts,
    });
  }
}
