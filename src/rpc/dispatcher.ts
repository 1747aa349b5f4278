import { randomBytes } from "node:crypto";
import { type Clock, systemClock } from "../model/clock.ts";
import { ContextdError, type ErrorReason } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import { invalidParams } from "./invalid-params.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import { parseJsonText } from "./json-text.ts";
import type { CallContext, RpcMethod, TransportName } from "./method.ts";
import { isQuotable, nearest } from "./nearest.ts";
import { errorText, resultText, retryAfterSeconds } from "./reply.ts";
import { isMalformed, type RequestId, type RpcRequest, readRequest } from "./request.ts";
import { permits } from "./scope.ts";

export interface DispatcherOptions {
  /** Requests in one batch, at most. */
  readonly maxBatch: number;
  /** Levels of nesting of a message's JSON, the envelope included, at most. */
  readonly maxDepth: number;
  /** Milliseconds until a caller is told to stop waiting; null or absent: no limit. */
  readonly callTimeoutMs?: number | null;
  /** Check each result against its method's schema: for tests and development, too dear for the hot path. */
  readonly validateResults?: boolean;
}

/** One call as the metrics see it. `method` is a registered name or "unknown"; `outcome` is "ok" or an error's reason. */
export interface CallRecord {
  readonly method: string;
  readonly transport: TransportName;
  readonly tenant: string;
  readonly outcome: "ok" | ErrorReason;
  readonly seconds: number;
  /** The session called, where the parameters name one. */
  readonly sessionId?: string;
  /** Trace of the caller, 32 hex digits, where it has one. */
  readonly traceId?: string;
  /** W3C trace context of the caller, checked for its form, where it has one. */
  readonly traceparent?: string;
}

export interface DispatcherDependencies {
  readonly methods: readonly RpcMethod[];
  readonly log: Log;
  readonly clock?: Clock;
  readonly observe?: (record: CallRecord) => void;
  /** Lets a call in, or throws `overloaded`, `rate_limited` or `draining`. The answer is called when the call is over. */
  readonly admit?: (method: RpcMethod, context: CallContext) => () => void;
}

/** What a transport sends back. */
export interface Answer {
  /** null: the message held notifications only, and nothing is sent. */
  readonly text: string | null;
  /** The failure of a message that was one call; null for success and for a batch, whose items speak for themselves. */
  readonly failure: { readonly reason: ErrorReason; readonly retryAfterSeconds: number | null } | null;
}

/**
 * JSON-RPC 2.0 over whatever carries its messages. Parameters are given by name. The calls of a batch are begun in
 * order and run side by side; their replies are in the order of the requests.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #dependencies: DispatcherDependencies;
  readonly #clock: Clock;
  readonly #methods = new Map<string, RpcMethod>();
  /** JSON Schemas of parameters, made when a mistake first asks for one. */
  readonly #schemas = new Map<string, JsonObject>();

  constructor(options: DispatcherOptions, dependencies: DispatcherDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
    for (const method of dependencies.methods) {
      if (this.#methods.has(method.name)) throw new Error(`two RPC methods are named ${method.name}`);
      this.#methods.set(method.name, method);
    }
  }

  get methods(): readonly RpcMethod[] {
    return this.#dependencies.methods;
  }

  async dispatchText(bytes: Uint8Array | string, context: CallContext): Promise<string | null> {
    return (await this.dispatch(bytes, context)).text;
  }

  /** Never rejects: whatever goes wrong is in the answer. */
  async dispatch(bytes: Uint8Array | string, context: CallContext): Promise<Answer> {
    let message: unknown;
    try {
      message = parseJsonText(bytes, this.#options.maxDepth);
    } catch (error) {
      return this.#refuse(error as ContextdError, context);
    }
    if (!Array.isArray(message)) return this.#answerOne(message, context);
    if (message.length === 0) {
      return this.#refuse(new ContextdError("invalid_request", "The batch is empty: it must hold a request."), context);
    }
    const { maxBatch } = this.#options;
    if (message.length > maxBatch) {
      const sentence = `The batch holds ${message.length} requests: the limit is ${maxBatch}.`;
      return this.#refuse(new ContextdError("invalid_request", sentence, { max_batch: maxBatch }), context);
    }
    const answers = await Promise.all(message.map((item) => this.#answerOne(item, context)));
    const texts = answers.map((answer) => answer.text).filter((text) => text !== null);
    return { text: texts.length === 0 ? null : `[${texts.join(",")}]`, failure: null };
  }

  #refuse(error: ContextdError, context: CallContext): Answer {
    this.#record("unknown", null, context, error.reason, this.#clock.monotonic());
    return failed(null, error);
  }

  async #answerOne(item: unknown, context: CallContext): Promise<Answer> {
    const startedAt = this.#clock.monotonic();
    const read = readRequest(item);
    if (isMalformed(read)) {
      this.#record("unknown", null, context, read.error.reason, startedAt);
      return failed(read.id, read.error);
    }
    const method = this.#methods.get(read.method);
    const name = method?.name ?? "unknown";
    try {
      if (!method) throw this.#noSuchMethod(read.method);
      const text = resultText(read.id, await this.#call(method, read, context));
      this.#record(name, read.params, context, "ok", startedAt);
      return read.notification ? SILENCE : { text, failure: null };
    } catch (thrown) {
      const error = this.#toldToCaller(thrown, name, context);
      this.#record(name, read.params, context, error.reason, startedAt);
      return read.notification ? SILENCE : failed(read.id, error);
    }
  }

  async #call(method: RpcMethod, request: RpcRequest, context: CallContext): Promise<unknown> {
    if (!permits(context.principal.scopes, method)) {
      throw new ContextdError(
        "unauthorized",
        `The token lacks the scope for ${method.name}: it takes ${method.scope}.`,
        {
          scope: method.scope,
        },
      );
    }
    if (Array.isArray(request.params)) {
      const sentence = "Parameters are given by name: params must be an object, not an array.";
      throw new ContextdError("invalid_params", sentence, { path: "" });
    }
    const leave = this.#dependencies.admit?.(method, context);
    let running: Promise<unknown> | null = null;
    try {
      const parsed = method.params.safeParse(request.params);
      if (!parsed.success) throw invalidParams(parsed.error, request.params, () => this.#schemaOf(method));
      running = method.call(context, parsed.data);
    } finally {
      // A call that is begun holds its place until it is over, even when its caller was told to stop waiting.
      if (leave) {
        if (running) running.then(leave, leave);
        else leave();
      }
    }
    const result = await this.#withinTime(method, running);
    if (this.#options.validateResults) method.result.parse(result);
    return result;
  }

  async #withinTime(method: RpcMethod, running: Promise<unknown>): Promise<unknown> {
    const limit = method.timeoutMs === undefined ? this.#options.callTimeoutMs : method.timeoutMs;
    if (limit === undefined || limit === null) return running;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const sentence = `${method.name} took longer than ${limit} ms. It may still take effect: repeat it with the same idempotency key.`;
        reject(new ContextdError("overloaded", sentence, { timeout_ms: limit }));
      }, limit);
    });
    try {
      return await Promise.race([running, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  #schemaOf(method: RpcMethod): JsonObject {
    const known = this.#schemas.get(method.name);
    if (known) return known;
    const schema = jsonSchemaOf(method.params, "input");
    this.#schemas.set(method.name, schema);
    return schema;
  }

  #noSuchMethod(name: string): ContextdError {
    const guess = nearest(name, [...this.#methods.keys()]);
    const subject = isQuotable(name) ? `There is no method "${name}".` : "There is no method of that name.";
    const hint = guess === null ? "" : ` Did you mean "${guess}"?`;
    return new ContextdError("method_not_found", `${subject}${hint} rpc.discover lists them all.`);
  }

  /**
   * The error for the caller. What nobody foresaw is logged under an incident id: its name, its message unless it may
   * quote the text it choked on, and its stack, but never the parameters.
   */
  #toldToCaller(thrown: unknown, method: string, { traceparent }: CallContext): ContextdError {
    if (thrown instanceof ContextdError && thrown.reason !== "internal_error") return thrown;
    const incident = randomBytes(6).toString("hex");
    const { traceId } = traceFields(traceparent);
    const trace = traceId === undefined ? {} : { trace_id: traceId };
    this.#dependencies.log.error({ incident, method, ...trace, ...faultFields(thrown) }, "a call failed unexpectedly");
    return new ContextdError("internal_error", `The daemon failed here; its log has the cause under ${incident}.`, {
      incident,
    });
  }

  #record(method: string, params: unknown, context: CallContext, outcome: "ok" | ErrorReason, startedAt: number): void {
    const { observe, log } = this.#dependencies;
    if (!observe) return;
    const seconds = (this.#clock.monotonic() - startedAt) / 1000;
    try {
      const { transport, principal } = context;
      observe({ method, transport, tenant: principal.tenant, outcome, seconds, ...placeOf(params, context) });
    } catch (error) {
      log.error(faultFields(error), "an observer of calls failed");
    }
  }
}

/** Where an exemplar or a span may point: bounded ids, nothing else of the call. */
function placeOf(
  params: unknown,
  { traceparent }: CallContext,
): Pick<CallRecord, "sessionId" | "traceId" | "traceparent"> {
  const sessionId = (params as { readonly session_id?: unknown } | null | undefined)?.session_id;
  return {
    ...(typeof sessionId === "string" && sessionId.length <= 64 ? { sessionId } : {}),
    ...(traceparent === null ? {} : { ...traceFields(traceparent), traceparent }),
  };
}

function traceFields(traceparent: string | null): { traceId?: string } {
  const traceId = traceparent?.split("-")[1];
  return traceId === undefined ? {} : { traceId };
}

const SILENCE: Answer = { text: null, failure: null };

function failed(id: RequestId, error: ContextdError): Answer {
  return {
    text: errorText(id, error),
    failure: { reason: error.reason, retryAfterSeconds: retryAfterSeconds(error) },
  };
}

/** Longest message of a fault that is logged. */
const MAX_FAULT_MESSAGE = 200;

/**
 * A fault as it may be logged: its name, the beginning of its message, and where it arose. Messages of JSON.parse and
 * zod may quote what they read, so theirs are left out; so is whatever else the error carries.
 */
export function faultFields(thrown: unknown): { err: Error } {
  if (!(thrown instanceof Error)) return { err: new Error(`a thrown ${typeof thrown}`) };
  const mayQuote = thrown instanceof SyntaxError || thrown.name === "ZodError";
  const told = new Error(mayQuote ? "withheld: it may quote its input" : thrown.message.slice(0, MAX_FAULT_MESSAGE));
  told.name = thrown.name;
  const frames = (thrown.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  told.stack = [`${told.name}: ${told.message}`, ...frames].join("\n");
  return { err: told };
}
