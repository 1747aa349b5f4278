import type { Lookup } from "../outbound/index.ts";
import { type HttpReply, type HttpRequest, retryAfterMs, send } from "../outbound/index.ts";
import { LlmError } from "./error.ts";
import { WIRES, type WireName } from "./wire/index.ts";
import { type Dialect, type Endpoint, type Prompt, USUAL_DIALECT, type Wire, type WireReply } from "./wire/wire.ts";

interface ExchangeOptions {
  readonly api: WireName;
  readonly maxResponseBytes: number;
}

interface ExchangeDependencies {
  /** Where the model is, with the key of the moment. */
  readonly endpoint: () => Endpoint;
  readonly lookup: Lookup;
  /** Wall clock, ms since the epoch: Retry-After may be a date. */
  readonly now: () => number;
}

/** How often one prompt is sent again because a parameter was refused: once for each that can be. */
const DIALECTS = 2;

/** One prompt over the wire and one reply back, or an LlmError that says what came instead. */
export class Exchange {
  readonly #options: ExchangeOptions;
  readonly #dependencies: ExchangeDependencies;
  readonly #wire: Wire;
  #dialect: Dialect = USUAL_DIALECT;

  constructor(options: ExchangeOptions, dependencies: ExchangeDependencies) {
    this.#options = options;
    this.#dependencies = dependencies;
    this.#wire = WIRES[options.api];
  }

  get provider(): string {
    return this.#wire.provider;
  }

  /** The reply to a prompt, of the right shape; its text may be empty. */
  async prompt(prompt: Prompt, maxOutputTokens: number, signal: AbortSignal): Promise<WireReply> {
    for (let dialects = 0; ; dialects++) {
      const request = this.#wire.request(this.#dependencies.endpoint(), prompt, maxOutputTokens, this.#dialect);
      const reply = await this.#send(request, signal);
      if (isSuccess(reply.status)) return this.#read(reply.body);
      if (dialects < DIALECTS && this.#learnsFrom(reply)) continue;
      throw this.#failureOf(reply);
    }
  }

  /** The JSON of the answer to any request; undefined for anything but a success with JSON in it. Never rejects. */
  async question(request: HttpRequest, signal: AbortSignal): Promise<unknown> {
    try {
      const reply = await this.#send(request, signal);
      return isSuccess(reply.status) ? parseJson(reply.body) : undefined;
    } catch {
      return undefined;
    }
  }

  #send(request: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
    return send(request, { maxBytes: this.#options.maxResponseBytes, signal, lookup: this.#dependencies.lookup });
  }

  #read(body: Buffer): WireReply {
    if (body.length === 0) throw new LlmError("empty");
    const json = parseJson(body);
    if (json === undefined) throw new LlmError("not_json");
    const reply = this.#wire.read(json);
    if (!reply) throw new LlmError("bad_shape");
    return reply;
  }

  /** Whether the refusal named a parameter that the next request can do without. Kept for all requests to come. */
  #learnsFrom({ status, body }: HttpReply): boolean {
    if (status !== 400 && status !== 422) return false;
    const refusal = this.#wire.refusal(status, parseJson(body));
    if (typeof refusal === "string") return false;
    const learned = { ...this.#dialect, ...refusal };
    const { sendsTemperature, outputLimit } = this.#dialect;
    if (learned.sendsTemperature === sendsTemperature && learned.outputLimit === outputLimit) return false;
    this.#dialect = learned;
    return true;
  }

  #failureOf({ status, headers, body }: HttpReply): LlmError {
    const retryAfter = retryAfterMs(headers, this.#dependencies.now());
    const details = { status, ...(retryAfter !== undefined && { retryAfterMs: retryAfter }) };
    if (status >= 300 && status < 400) return new LlmError("redirect", { status });
    if (status === 401 || status === 403) return new LlmError("unauthorized", { status });
    if (status === 429) return new LlmError("rate_limited", details);
    // llama.cpp once told overlong prompts with status 500.
    if (this.#wire.refusal(status, parseJson(body)) === "context_too_long") {
      return new LlmError("context_too_long", { status });
    }
    if (status === 408 || status >= 500) return new LlmError("server_error", details);
    return new LlmError("refused", { status });
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** undefined for what is no JSON in UTF-8. The parser's own words are dropped: they quote the text. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}
