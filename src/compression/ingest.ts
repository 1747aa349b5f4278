export interface IngestInput {
  /** `compression.ingest_max_tokens`. */
  readonly configured: number | "auto";
  /** The window, tokens. */
  readonly maxTokens: number;
  /** Tokens from which the zone is red. */
  readonly redTokens: number;
  readonly outputReserve: number;
  /** Tokens that will stand beside this result and cannot make room for it: the floor and what is pending. */
  readonly tokensWithout: number;
  /** Results that the running tool calls still bring, this one included: they share the room. */
  readonly pendingResults: number;
}

/** Share of the window that one tool result may take by default. */
const AUTO_SHARE = 0.25;

/** A result always keeps this many tokens (where a quarter of the window is not less): enough for its gist. */
const LEAST_TOKENS = 200;

/**
 * Tokens up to which a tool result enters the context as it is; a larger one is cut to head and tail. The smaller of
 * the configured limit (`auto`: a quarter of the window) and this result's share of the room that is left below
 * red, and never less than about 200 tokens.
 */
export function ingestLimit(input: IngestInput): number {
  const quarter = Math.floor(AUTO_SHARE * input.maxTokens);
  const wanted = input.configured === "auto" ? quarter : input.configured;
  const ceiling = Math.min(Math.ceil(input.redTokens) - 1, input.maxTokens - input.outputReserve);
  const room = Math.floor((ceiling - input.tokensWithout) / Math.max(1, input.pendingResults));
  return Math.max(Math.min(LEAST_TOKENS, quarter, wanted), Math.min(wanted, room));
}
