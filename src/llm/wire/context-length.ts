/**
 * What servers say to a prompt that does not fit: OpenAI and vLLM ("maximum context length is …", "longer than the
 * maximum model length"), llama.cpp ("exceeds the available context size"), LiteLLM, Anthropic ("prompt is too long: …",
 * "input length and `max_tokens` exceed context limit").
 */
const PHRASES =
  /maximum context length|maximum model length|context window|context length|context size|context limit|prompt is too long/i;

const CODES = new Set(["context_length_exceeded", "exceed_context_size_error", "request_too_large"]);

/** Whether an error's code, type or message says that the prompt is too long. */
export function saysTooLong(code: unknown, type: unknown, message: unknown): boolean {
  if ([code, type].some((word) => typeof word === "string" && CODES.has(word))) return true;
  return typeof message === "string" && PHRASES.test(message);
}
