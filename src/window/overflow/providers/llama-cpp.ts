import { provider } from "../provider.ts";

export const llamaCpp = provider({
  name: "llama_cpp",
  summary: "llama.cpp's server and llama-cpp-python.",
  hints: ["llama.cpp", "llama_cpp", "llama-cpp", "llama-server"],
  rules: {
    context_size: {
      kind: "context_length",
      says: [
        "request ({input} tokens) exceeds the available context size ({limit} tokens)",
        "exceed_context_size_error…n_prompt_tokens: {input}…n_ctx: {limit}",
        "exceeds the available context size",
        "exceed_context_size_error",
      ],
    },
    requested_tokens: {
      kind: "context_length",
      says: ["requested tokens ({input}) exceed context window of {limit}"],
    },
  },
});
