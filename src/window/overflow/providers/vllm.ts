import { provider } from "../provider.ts";

export const vllm = provider({
  name: "vllm",
  summary: "vLLM, over its versions.",
  hints: ["vllm", "type: badrequesterror"],
  rules: {
    output_over_rest: {
      kind: "context_length",
      says: [
        "is too large: {output}. this model's maximum context length is {limit} tokens and your request has {input} input tokens",
        "maximum context length is {limit} tokens. however, your request has {input} input tokens",
      ],
    },
    output_and_prompt: {
      kind: "context_length",
      says: [
        "maximum context length is {limit} tokens. however, you requested {output} output tokens and your prompt contains at least {input} input tokens",
      ],
    },
    passed: {
      kind: "context_length",
      says: [
        "you passed {input} input tokens and requested {output} output tokens. however, the model's context length is only {limit} tokens",
        "you passed {} input characters and requested {output} output tokens. however, the model's context length is only {limit} tokens",
      ],
    },
    prompt_length: {
      kind: "context_length",
      says: [
        "prompt (length {input}) is longer than the maximum model length of {limit}",
        "prompt length of {input} is longer than the maximum model length of {limit}",
        "prompt (total length {input}) is too long to fit into the model (context length {limit})",
        "input prompt ({input} tokens) is too long and exceeds limit of {limit}",
      ],
    },
  },
});
