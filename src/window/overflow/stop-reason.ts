/** How a call ended that was cut off: the window was full, or the output asked for was used up. */
export type CutOff = "context_full" | "output_cut";

/** Tokens of the call that ended; null where the provider told none. */
export interface StopFigures {
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  readonly windowTokens: number;
}

/** Names, without case and separators, that say that the window is full. */
const FULL = new Set([
  // Anthropic, Bedrock, Z.ai; LiteLLM and others.
  "modelcontextwindowexceeded",
  "contextwindowexceeded",
  "contextlengthexceeded",
  // LM Studio.
  "contextlengthreached",
  // Mistral: the model's own length is reached, not the one asked for.
  "modellength",
  // Cohere.
  "errorlimit",
]);

/** Names that say that the answer was cut off: at the output asked for, or where the window ended. */
const CUT = new Set([
  // OpenAI and those like it; Mistral, Groq, vLLM, SGLang, TGI, Ollama.
  "length",
  // Anthropic, Bedrock, Gemini, Cohere.
  "maxtokens",
  // OpenAI's Responses.
  "maxoutputtokens",
  "incomplete",
  // llama.cpp's own endpoint.
  "limit",
  "truncated",
  // LM Studio; TGI.
  "maxpredictedtokensreached",
  "maxnewtokens",
  "maxlength",
]);

/** A share of the window from which it counts as full: chat templates and counters differ by a few tokens. */
const FULL_SHARE = 0.98;

/**
 * What a stop reason says about the window. A name that providers use for both is believed to mean the window only where
 * prompt and output fill it to 98 % or more. Null: the call was not cut off, or its end is not understood.
 */
export function stopReason(reason: string | null, figures: StopFigures): CutOff | null {
  if (reason === null) return null;
  const name = reason
    .slice(0, 64)
    .toLowerCase()
    .replace(/[^a-z]/g, "");
  if (FULL.has(name)) return "context_full";
  if (!CUT.has(name)) return null;
  const { promptTokens, outputTokens, windowTokens } = figures;
  const used = (promptTokens ?? 0) + (outputTokens ?? 0);
  return windowTokens > 0 && used >= windowTokens * FULL_SHARE ? "context_full" : "output_cut";
}
