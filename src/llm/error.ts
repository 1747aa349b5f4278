import { asOutboundError } from "../outbound/index.ts";

interface Failure {
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** What the breaker takes it for: the backend's fault, a sign of life, or neither. */
  readonly tells: "fault" | "alive" | "nothing";
  readonly sentence: string;
}

/** Every way in which a call to a model ends without a text. The name is the `reason`: a closed set. */
export const LLM_FAILURES = {
  deadline: { retryable: true, tells: "fault", sentence: "did not answer inside the deadline" },
  connection: { retryable: true, tells: "fault", sentence: "could not be reached, or cut the connection" },
  rate_limited: { retryable: true, tells: "fault", sentence: "is over its rate limit (429)" },
  server_error: { retryable: true, tells: "fault", sentence: "failed (408 or 5xx)" },
  unauthorized: { retryable: false, tells: "fault", sentence: "refused the key (401 or 403): check api_key_file" },
  refused: { retryable: false, tells: "fault", sentence: "refused the request (4xx): check model and base_url" },
  redirect: {
    retryable: false,
    tells: "fault",
    sentence: "answered a redirect, which is not followed: check base_url",
  },
  denied_address: { retryable: false, tells: "fault", sentence: "has a link-local address, which is never called" },
  not_json: { retryable: false, tells: "fault", sentence: "answered something that is not JSON: check base_url" },
  bad_shape: { retryable: false, tells: "fault", sentence: "answered JSON of another shape: check api and base_url" },
  empty: { retryable: false, tells: "fault", sentence: "answered without text: a larger max_output_tokens may help" },
  too_large: { retryable: false, tells: "fault", sentence: "answered more than max_response_bytes" },
  filtered: { retryable: false, tells: "alive", sentence: "or its content filter declined to answer" },
  context_too_long: { retryable: false, tells: "alive", sentence: "takes no prompt of this length" },
  breaker_open: { retryable: true, tells: "nothing", sentence: "has failed lately and is left alone for a while" },
  queue_full: { retryable: true, tells: "nothing", sentence: "has too many calls waiting for it" },
  aborted: { retryable: true, tells: "nothing", sentence: "is no longer asked: the caller gave up" },
  closed: { retryable: false, tells: "nothing", sentence: "is no longer asked: the daemon stops" },
} as const satisfies Record<string, Failure>;

export type LlmFailureReason = keyof typeof LLM_FAILURES;

export interface LlmErrorDetails {
  /** Status of the reply, where there was one. */
  readonly status?: number;
  /** The system's code, such as ECONNREFUSED. */
  readonly code?: string;
  /** How long the backend asks to be left alone, ms. */
  readonly retryAfterMs?: number;
}

/** A call to a model that gave no text. Neither message nor fields hold keys, addresses or anything that was said. */
export class LlmError extends Error {
  readonly reason: LlmFailureReason;
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor(reason: LlmFailureReason, { status, code, retryAfterMs }: LlmErrorDetails = {}) {
    const detail = status === undefined ? code : `status ${status}`;
    super(`The model ${LLM_FAILURES[reason].sentence}${detail === undefined ? "" : ` [${detail}]`}.`);
    this.name = "LlmError";
    this.reason = reason;
    this.retryable = LLM_FAILURES[reason].retryable;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** Whatever was thrown as an LlmError; what is none is a fault on the way, told by the system's code alone. */
export function asLlmError(error: unknown): LlmError {
  if (error instanceof LlmError) return error;
  const { reason, code } = asOutboundError(error);
  return new LlmError(reason, code === undefined ? {} : { code });
}
