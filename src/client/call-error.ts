import type { JsonObject } from "../model/json.ts";

/** The daemon answered a call with an error. `reason` is one of the names in docs/errors.md. */
export class RpcError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly retryable: boolean;
  readonly data: JsonObject;

  constructor(method: string, error: { readonly code: number; readonly message: string; readonly data: JsonObject }) {
    super(`${method}: ${error.message}`);
    this.name = "RpcError";
    this.code = error.code;
    this.data = error.data;
    this.reason = typeof error.data["reason"] === "string" ? error.data["reason"] : "unknown";
    this.retryable = error.data["retryable"] === true;
  }
}

/**
 * No answer of the daemon arrived: refused, cut, timed out, or something else answered. The call may have happened; it
 * is safe to repeat with the same idempotency key.
 */
export class NoAnswerError extends Error {
  constructor(method: string, why: string, options?: ErrorOptions) {
    super(`${method}: no answer from the daemon: ${why}`, options);
    this.name = "NoAnswerError";
  }
}
