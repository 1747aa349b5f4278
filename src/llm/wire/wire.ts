import type { HttpRequest } from "../../outbound/index.ts";

/** One question to a model. */
export interface Prompt {
  /** Instructions; empty: none. */
  readonly system: string;
  readonly user: string;
}

/** Where a model is and how it is asked. */
export interface Endpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | null;
  /** 0 to 2; null: not sent, so that the backend's own holds. */
  readonly temperature: number | null;
  /** Sent with each request, over the wire's own. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Parameters that some models take in another way than most; learned from their refusals. */
export interface Dialect {
  readonly sendsTemperature: boolean;
  /** Reasoning models of OpenAI know only the newer name of the output limit; most other servers only the older. */
  readonly outputLimit: "max_tokens" | "max_completion_tokens";
}

export const USUAL_DIALECT: Dialect = { sendsTemperature: true, outputLimit: "max_tokens" };

/** Why a reply ends. end: the model was done; max_tokens: it was cut; filtered: it or a filter declined; other. */
export type StopReason = "end" | "max_tokens" | "filtered" | "other";

/** Tokens of one exchange, as the provider reports them. */
export interface Usage {
  /** All of the prompt, what was read from and written to the prompt cache included. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
}

export interface WireReply {
  /** May be empty. */
  readonly text: string;
  readonly stopReason: StopReason;
  /** The model that answered, by its own name; null: not told. */
  readonly model: string | null;
  readonly usage: Usage | null;
}

/** What a refusal (4xx) says, as far as it can be acted on. */
export type Refusal = "context_too_long" | "other" | Partial<Dialect>;

/** A provider's way of being asked for one reply, not streamed. */
export interface Wire {
  /** Name of the provider whose format it is, as OpenTelemetry's gen_ai.provider.name. */
  readonly provider: string;
  request(endpoint: Endpoint, prompt: Prompt, maxOutputTokens: number, dialect: Dialect): HttpRequest;
  /** Reads the JSON of a success; null when it is of another shape. */
  read(body: unknown): WireReply | null;
  /** Reads the JSON of a refusal; undefined where the body was none. */
  refusal(status: number, body: unknown): Refusal;
}
