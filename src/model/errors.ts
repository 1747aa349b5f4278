import type { JsonObject } from "./json.ts";

interface ErrorKind {
  /** JSON-RPC error code. Stable: clients match on it. */
  readonly code: number;
  /** HTTP status where the whole request fails with it. */
  readonly http: number;
  /** Whether the same call may succeed later without a change. */
  readonly retryable: boolean;
  readonly meaning: string;
}

/** Every error that a client can see. The name is the `reason`: closed set, fit for a metric label. */
export const ERRORS = {
  parse_error: { code: -32700, http: 400, retryable: false, meaning: "The body is not JSON." },
  invalid_request: { code: -32600, http: 400, retryable: false, meaning: "The JSON is not a JSON-RPC 2.0 request." },
  method_not_found: { code: -32601, http: 404, retryable: false, meaning: "There is no such method." },
  invalid_params: {
    code: -32602,
    http: 400,
    retryable: false,
    meaning: "A parameter is missing, unknown or of the wrong kind; `data.path` names it.",
  },
  internal_error: {
    code: -32603,
    http: 500,
    retryable: true,
    meaning: "A fault of the daemon; the log has it under `data.incident`.",
  },
  session_not_found: {
    code: -32001,
    http: 404,
    retryable: false,
    meaning: "No such session for this tenant: open it first.",
  },
  stale_revision: {
    code: -32002,
    http: 409,
    retryable: false,
    meaning: "The revision or window the call was based on is no longer current.",
  },
  budget_exceeded: {
    code: -32003,
    http: 409,
    retryable: false,
    meaning: "A strict budget, or the room that the window has left, would be exceeded.",
  },
  unauthorized: {
    code: -32004,
    http: 401,
    retryable: false,
    meaning: "The token is missing, unknown, or lacks the scope.",
  },
  rate_limited: {
    code: -32005,
    http: 429,
    retryable: true,
    meaning: "The tenant is over one of its limits; wait for Retry-After.",
  },
  overloaded: { code: -32006, http: 503, retryable: true, meaning: "The daemon sheds load; wait for Retry-After." },
  storage_unavailable: {
    code: -32007,
    http: 503,
    retryable: true,
    meaning: "The journal could not make the call durable; nothing of it took effect.",
  },
  quarantined: {
    code: -32008,
    http: 409,
    retryable: false,
    meaning: "The session failed repeatedly and is set aside until an operator releases it.",
  },
  idempotency_conflict: {
    code: -32009,
    http: 409,
    retryable: false,
    meaning: "The idempotency key was used before with other parameters.",
  },
  invalid_history: {
    code: -32010,
    http: 400,
    retryable: false,
    meaning: "The messages break the provider's rules; `data.path` names the message.",
  },
  session_closed: { code: -32011, http: 409, retryable: false, meaning: "The session is closed." },
  session_exists: {
    code: -32012,
    http: 409,
    retryable: false,
    meaning: "A session of this id is open with other labels; close it or pass `resume: true`.",
  },
  content_not_found: {
    code: -32013,
    http: 404,
    retryable: false,
    meaning: "No content of this session has that handle or id.",
  },
  stale_checkpoint: {
    code: -32015,
    http: 409,
    retryable: false,
    meaning: "The session has gone on since: `data` has the checkpoint's window and version and the session's.",
  },
  foreign_checkpoint: {
    code: -32016,
    http: 409,
    retryable: false,
    meaning: "The checkpoint is of another task than the session's.",
  },
  expired_checkpoint: { code: -32017, http: 409, retryable: false, meaning: "The checkpoint is older than it holds." },
  malformed_checkpoint: {
    code: -32018,
    http: 400,
    retryable: false,
    meaning: "What was offered is no checkpoint, or was changed since it was saved; `data.path` names the place.",
  },
  checkpoint_not_found: { code: -32019, http: 404, retryable: false, meaning: "There is no such checkpoint." },
  replay_not_found: {
    code: -32020,
    http: 404,
    retryable: false,
    meaning: "There is no such replay: it was never begun, or is kept no more.",
  },
  draining: {
    code: -32014,
    http: 503,
    retryable: true,
    meaning: "The daemon is shutting down; call again after it has restarted.",
  },
} as const satisfies Record<string, ErrorKind>;

export type ErrorReason = keyof typeof ERRORS;

/** A failure that a client is told about: a stable reason and a sentence that names the mistake and the cure. */
export class ContextdError extends Error {
  readonly reason: ErrorReason;
  readonly data: JsonObject;

  /** `message` and `data` must hold ids, paths and sizes only: never content or secrets. */
  constructor(reason: ErrorReason, message: string, data: JsonObject = {}, options?: ErrorOptions) {
    super(message, options);
    this.name = "ContextdError";
    this.reason = reason;
    this.data = data;
  }

  get code(): number {
    return ERRORS[this.reason].code;
  }

  get retryable(): boolean {
    return ERRORS[this.reason].retryable;
  }
}
