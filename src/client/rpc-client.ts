import { randomUUID } from "node:crypto";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { type Backoff, backoffMs, pause } from "./backoff.ts";
import { NoAnswerError, RpcError } from "./call-error.ts";

export interface ClientOptions {
  /** Address of the daemon, path prefix included: `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly token?: string;
  /** Longest time for a call with all its attempts, milliseconds. */
  readonly deadlineMs?: number;
  /** Attempts of one call at most, the first included. */
  readonly attempts?: number;
  readonly backoff?: Backoff;
}

export interface ClientDependencies {
  readonly fetch?: typeof fetch;
  readonly random?: () => number;
}

export interface CallOptions {
  /** The call changes nothing, so it may be repeated when no answer came. */
  readonly readOnly?: boolean;
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** W3C trace context of the caller. */
  readonly traceparent?: string;
}

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_ATTEMPTS = 5;
const DEFAULT_BACKOFF: Backoff = { firstMs: 100, longestMs: 5_000 };

/** A new idempotency key: with it, a call that got no answer may be made again without a second effect. */
export function idempotencyKey(): string {
  return randomUUID();
}

/**
 * JSON-RPC over HTTP with retries. An error the daemon calls retryable is retried when the call had no effect, or when
 * a repetition is safe; no answer at all is retried only when it is safe: the params carry an `idempotency_key`, or the
 * call is `readOnly`. `Retry-After` is honoured. Throws RpcError for the daemon's errors, NoAnswerError otherwise.
 */
export class ContextdClient {
  readonly #endpoint: string;
  readonly #token: string | undefined;
  readonly #deadlineMs: number;
  readonly #attempts: number;
  readonly #backoff: Backoff;
  readonly #fetch: typeof fetch;
  readonly #random: () => number;
  #nextId = 1;

  constructor(options: ClientOptions, dependencies: ClientDependencies = {}) {
    this.#endpoint = `${options.url.replace(/\/+$/, "")}/rpc`;
    this.#token = options.token;
    this.#deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#attempts = options.attempts ?? DEFAULT_ATTEMPTS;
    this.#backoff = options.backoff ?? DEFAULT_BACKOFF;
    this.#fetch = dependencies.fetch ?? fetch;
    this.#random = dependencies.random ?? Math.random;
  }

  /** A call as it is: the caller decides on an idempotency key. */
  async call<Result = JsonObject>(method: string, params: JsonObject = {}, options: CallOptions = {}): Promise<Result> {
    const deadline = AbortSignal.timeout(options.deadlineMs ?? this.#deadlineMs);
    const signal = options.signal === undefined ? deadline : AbortSignal.any([deadline, options.signal]);
    const repeatable = options.readOnly === true || typeof params["idempotency_key"] === "string";
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#attempt(method, params, options, signal)) as Result;
      } catch (error) {
        if (signal.aborted || attempt >= this.#attempts || !mayRepeat(error, repeatable)) throw error;
        const asked = error instanceof Answered ? error.retryAfterMs : 0;
        await this.#wait(method, Math.max(asked, backoffMs(this.#backoff, attempt, this.#random)), signal, error);
      }
    }
  }

  /** A call that changes something: given an idempotency key of its own, so that it is retried safely. */
  async mutate<Result = JsonObject>(method: string, params: JsonObject, options: CallOptions = {}): Promise<Result> {
    return this.call<Result>(method, { idempotency_key: idempotencyKey(), ...params }, options);
  }

  async #attempt(method: string, params: JsonObject, options: CallOptions, signal: AbortSignal): Promise<Json> {
    const id = this.#nextId++;
    let response: Response;
    let body: string;
    try {
      response = await this.#fetch(this.#endpoint, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` }),
          ...(options.traceparent === undefined ? {} : { traceparent: options.traceparent }),
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        redirect: "error",
        signal,
      });
      body = await response.text();
    } catch (cause) {
      throw new NoAnswerError(method, describeFailure(cause), { cause });
    }
    const answer = parseAnswer(body);
    if (answer === null) throw new NoAnswerError(method, `HTTP ${response.status}, not a JSON-RPC answer`);
    if ("error" in answer) throw new Answered(method, answer.error, retryAfterMs(response.headers.get("retry-after")));
    return answer.result;
  }

  async #wait(method: string, ms: number, signal: AbortSignal, last: unknown): Promise<void> {
    try {
      await pause(ms, signal);
    } catch (cause) {
      // The deadline passed while waiting: the daemon's last word says more than "timed out".
      if (last instanceof RpcError) throw last;
      throw new NoAnswerError(method, "the deadline passed", { cause });
    }
  }
}

/** An RpcError with the wait that came beside it. */
class Answered extends RpcError {
  readonly retryAfterMs: number;

  constructor(method: string, error: RpcErrorBody, retryAfter: number) {
    super(method, error);
    this.retryAfterMs = retryAfter;
  }
}

type RpcErrorBody = { readonly code: number; readonly message: string; readonly data: JsonObject };

/** -32603 alone leaves open whether the call took effect. */
const INTERNAL_ERROR = -32603;

function mayRepeat(error: unknown, repeatable: boolean): boolean {
  if (error instanceof NoAnswerError) return repeatable;
  if (!(error instanceof RpcError) || !error.retryable) return false;
  return repeatable || error.code !== INTERNAL_ERROR;
}

function parseAnswer(body: string): { result: Json } | { error: RpcErrorBody } | null {
  let answer: unknown;
  try {
    answer = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isJsonObject(answer) || answer["jsonrpc"] !== "2.0") return null;
  const error = answer["error"];
  if (isJsonObject(error)) {
    const { code, message, data } = error;
    if (typeof code !== "number" || typeof message !== "string") return null;
    return { error: { code, message, data: isJsonObject(data) ? data : {} } };
  }
  return "result" in answer ? { result: answer["result"] as Json } : null;
}

/** Seconds or an HTTP date, as the header may be either; 0 when it is missing or past. */
function retryAfterMs(header: string | null): number {
  if (header === null) return 0;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? 0 : Math.max(0, date - Date.now());
}

/** fetch hides the reason ("fetch failed") in the cause. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "the deadline passed";
  const { cause } = error;
  const code = cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : undefined;
  return code === undefined ? error.message : `${error.message} (${code})`;
}
