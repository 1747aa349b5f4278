import type { MessageFormatName } from "../model/message.ts";

/** On top of an estimate that nothing has confirmed, in an encoding that is not the model's own. */
const UNCONFIRMED_MARGIN = 0.05;

/** The size of the context as it was when the provider or the agent told it. */
export interface Anchor {
  readonly tokens: number;
  /** Our raw count of the same context. */
  readonly rawTokens: number;
  readonly source: "model_reported" | "anchored";
}

export interface ContextEstimateInput {
  /** Raw (uncalibrated) count of the context now. */
  readonly rawTokens: number;
  readonly anchor: Anchor | null;
  /** The model's calibration factor. */
  readonly factor: number;
  /** Whether the counts were made in the model's own encoding. */
  readonly exactEncoding: boolean;
}

export interface ContextEstimate {
  /** Tokens as the provider will count them: an integer, not negative. */
  readonly tokens: number;
  readonly source: "model_reported" | "anchored" | "estimated";
}

/**
 * The size of the context as the provider will count it. With an anchor that is the truth of then plus the calibrated
 * count of what was added since, less what was freed:
 *
 *     tokens = anchor.tokens + (rawTokens - anchor.rawTokens) * factor
 *
 * Without one it is `rawTokens * factor`, and 5 % more where the encoding is not the model's own.
 */
export function estimateContext({ rawTokens, anchor, factor, exactEncoding }: ContextEstimateInput): ContextEstimate {
  if (anchor !== null) {
    const tokens = anchor.tokens + (rawTokens - anchor.rawTokens) * factor;
    return { tokens: Math.max(0, Math.round(tokens)), source: anchor.source };
  }
  const margin = exactEncoding ? 0 : UNCONFIRMED_MARGIN;
  return { tokens: Math.max(0, Math.round(rawTokens * factor * (1 + margin))), source: "estimated" };
}

/** What a provider reports of one call: never the sum over a session. */
export interface ReportedUsage {
  readonly input_tokens: number;
  readonly output_tokens?: number | undefined;
  readonly cache_read_input_tokens?: number | undefined;
  readonly cache_creation_input_tokens?: number | undefined;
  readonly reasoning_tokens?: number | undefined;
}

/** Tokens of the prompt as sent. Anthropic reports cached tokens beside `input_tokens`, OpenAI among them. */
export function promptTokens(format: MessageFormatName, usage: ReportedUsage): number {
  if (format === "openai") return usage.input_tokens;
  return usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
}

/**
 * Tokens of the answer that stay in the context. OpenAI counts hidden reasoning among the output and drops it before
 * the next call; Anthropic's thinking stays with its message.
 */
export function keptOutputTokens(format: MessageFormatName, usage: ReportedUsage): number {
  const hidden = format === "openai" ? (usage.reasoning_tokens ?? 0) : 0;
  return Math.max(0, (usage.output_tokens ?? 0) - hidden);
}
