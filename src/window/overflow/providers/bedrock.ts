import { provider } from "../provider.ts";

export const bedrock = provider({
  name: "bedrock",
  summary: "Amazon Bedrock: what its own checks say, before the model's.",
  hints: ["bedrock", "validationexception", "the model returned the following errors"],
  rules: {
    input_too_long: { kind: "context_length", says: ["input is too long for requested model"] },
    titan_input: {
      kind: "context_length",
      says: ["too many input tokens. max input tokens: {limit}, request input token count: {input}"],
    },
    output_too_long: {
      kind: "output_length",
      says: [
        "maximum tokens you requested exceeds the model limit of {limit}",
        "maximum tokens you requested exceed the model limit of {limit}",
      ],
    },
    characters: {
      kind: "request_size",
      says: ["malformed input request:… expected maxlength: {}, actual: {}"],
    },
    body: { kind: "request_size", says: ["member must have length less than or equal to"] },
    throttled: {
      kind: "other",
      says: ["throttlingexception", "too many tokens, please wait", "too many tokens per day, please wait"],
    },
  },
});
