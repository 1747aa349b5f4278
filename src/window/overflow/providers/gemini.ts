import { provider } from "../provider.ts";

export const gemini = provider({
  name: "gemini",
  summary: "Gemini, by its own API, by Vertex AI and by Code Assist.",
  hints: ["gemini", "vertex ai", "vertexai", "aiplatform", "generativelanguage", "invalid_argument"],
  rules: {
    input_token_count: {
      kind: "context_length",
      says: [
        "input token count ({input}) exceeds the maximum number of tokens allowed ({limit})",
        "input token count exceeds the maximum number of tokens allowed ({limit})",
        "input token count exceeds the maximum number of tokens allowed {limit}",
      ],
    },
    vertex_input_token_count: {
      kind: "context_length",
      says: [
        "input token count is {input} but model only supports up to {limit}",
        "input token count is {input} but the model only supports up to {limit}",
      ],
    },
    exhausted: { kind: "other", says: ["resource_exhausted", "resource exhausted", "resource has been exhausted"] },
  },
});
