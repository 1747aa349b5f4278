import { provider } from "../provider.ts";

/** Words that many use: what is left when no provider's own words were said. */
export const generic = provider({
  name: "generic",
  summary: "Codes, statuses and words of no provider in particular.",
  hints: [],
  rules: {
    tokens_told: {
      kind: "context_length",
      shared: true,
      says: [
        "prompt too long: {input} tokens exceeds max context window of {limit} tokens",
        "length of prompt_tokens ({input}) must be less than max_seq_len ({limit})",
        "number of tokens ({input}) exceeded maximum context length ({limit})",
      ],
    },
    context_length: {
      kind: "context_length",
      shared: true,
      weak: true,
      says: [
        "context_length_exceeded",
        "context_window_exceeded",
        "contextwindowexceeded",
        "context length exceeded",
        "context window exceeded",
        "maximum context length",
        "maximum model length",
        "context window",
        "context length",
        "context size",
        "context limit",
        "prompt too long",
        "input is too long",
        "too many tokens",
        "token limit exceeded",
      ],
    },
    request_size: {
      kind: "request_size",
      shared: true,
      says: [
        "maximum request body size",
        "request entity too large",
        "payload too large",
        "content too large",
        "413 status code",
        "status: 413;",
        "statuscode: 413;",
        "status_code: 413;",
      ],
    },
    authentication: {
      kind: "other",
      shared: true,
      says: ["authentication_error", "invalid_api_key", "incorrect api key", "invalid x-api-key", "permission_error"],
    },
    quota: { kind: "other", shared: true, says: ["insufficient_quota", "exceeded your current quota"] },
    rate_limit: {
      kind: "other",
      shared: true,
      says: [
        "rate_limit_error",
        "rate_limit_exceeded",
        "rate limit",
        "rate-limited",
        "too many requests",
        "429 status code",
      ],
    },
    overloaded: { kind: "other", shared: true, says: ["overloaded_error", "overloaded", "service unavailable"] },
    content_policy: {
      kind: "other",
      shared: true,
      says: ["content_policy_violation", "content_filter", "content filtering policy", "violating our usage policy"],
    },
    unreachable: {
      kind: "other",
      shared: true,
      says: ["econnrefused", "econnreset", "etimedout", "connection error.", "request timed out"],
    },
  },
});
