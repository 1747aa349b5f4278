/** What a model is asked for: summaries of what leaves the context, or judgements of what a fold has kept. */
export type LlmRole = "summarizer" | "judge";

/** closed: calls pass; open: they are refused at once; half_open: one call tries whether the backend is back. */
export type LlmBreakerState = "closed" | "half_open" | "open";

/** One finished call to a model, as it is counted: sizes and names, never what was said. */
export interface LlmCall {
  readonly role: LlmRole;
  /** Whose wire format is spoken: `openai`, `anthropic`. */
  readonly provider: string;
  /** The model that the configuration names. */
  readonly model: string;
  /** Name of the operation as OpenTelemetry has it. */
  readonly operation: "chat";
  /** `ok`, or the reason of the failure (llm/error.ts). */
  readonly outcome: string;
  /** From the request to the answer, waiting in the queue and between attempts included. */
  readonly seconds: number;
  /** As reported by the provider; null: not reported. */
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  /** USD at the catalogue's prices; null: tokens or prices are not known. */
  readonly usd: number | null;
  /** Requests sent; 0 when the call was refused before the first. */
  readonly attempts: number;
}

/** State of the circuit breaker before one model. */
export interface LlmBreakerReading {
  readonly provider: string;
  readonly model: string;
  readonly state: LlmBreakerState;
}
