/**
 * What a refusal is about. `context_length`: prompt and answer do not fit the window; `output_length`: more output asked
 * for than the model gives; `request_size`: too many bytes, characters or parts, whatever the tokens; `tokens_per_minute`:
 * a limit of the account, with sizes; `other`: a failure that a smaller prompt does not cure; `unknown`: not understood.
 */
export type RefusalKind =
  | "context_length"
  | "output_length"
  | "request_size"
  | "tokens_per_minute"
  | "other"
  | "unknown";

/** A provider's refusal, understood. Every number is one that the text tells, or a sum of parts that it tells. */
export interface Refusal {
  /** Whose words they are (`openai`, `vllm` …); `openai_compatible` for shared words without a sender; or `unknown`. */
  readonly provider: string;
  readonly kind: RefusalKind;
  /** Tokens of the prompt as the provider counted them; for `tokens_per_minute` those of the whole request. */
  readonly inputTokens: number | null;
  /** Tokens of output that were asked for. */
  readonly outputTokens: number | null;
  /**
   * The limit that the text names, in tokens: for `context_length` the window's (the prompt's, where it names only that
   * one); for `output_length` the answer's; for `tokens_per_minute` the account's. Only the first says how large the
   * window is.
   */
  readonly limit: number | null;
  /** The pattern that matched: `provider.name`, one of a fixed set, or `unknown`. Fit for a metric's label. */
  readonly rule: string;
}
