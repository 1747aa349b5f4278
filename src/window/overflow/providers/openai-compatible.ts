import { provider } from "../provider.ts";

/** OpenAI's sentence about the window, in the forms that it had; vLLM, DeepSeek, Azure and many more say it. */
export const openaiCompatible = provider({
  name: "openai_compatible",
  summary: "OpenAI's words, which many servers use.",
  hints: [],
  rules: {
    context_length: {
      kind: "context_length",
      shared: true,
      says: [
        "maximum context length is {limit} tokens…requested {} tokens ({input} in the messages, {also} in the functions, and {output} in the completion)",
        "maximum context length is {limit} tokens…requested {} tokens ({input} in the messages, {output} in the completion)",
        "maximum context length is {limit} tokens…requested {} tokens ({input} in the messages, none in the completion)",
        "maximum context length is {limit} tokens…requested {} tokens ({input} in your prompt; {output} for the completion)",
        "maximum context length is {limit} tokens…requested {} tokens ({input} in your prompt, {output} for the completion)",
        "maximum context length is {limit} tokens…messages resulted in {input} tokens",
        "maximum context length is {limit} tokens",
      ],
    },
    output_too_long: {
      kind: "output_length",
      shared: true,
      says: [
        "max_tokens is too large: {output}. this model supports at most {limit} completion tokens",
        "max_completion_tokens is too large: {output}. this model supports at most {limit}",
        "integer above maximum value, expected a value <= {limit}, but got {output} instead",
      ],
    },
  },
});
