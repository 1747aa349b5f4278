import { type ContextdError, ERRORS, type ErrorReason } from "../model/errors.ts";
import type { RequestId } from "./request.ts";

/** Seconds a caller is told to wait when an overload error does not say. */
const DEFAULT_RETRY_SECONDS = 1;

export function resultText(id: RequestId, result: unknown): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result ?? null)}}`;
}

/** The error object of the wire: `data` always has `reason` and `retryable`, whatever else the error carries. */
export function errorText(id: RequestId, error: ContextdError): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: {
      code: error.code,
      message: error.message,
      data: { ...error.data, reason: error.reason, retryable: error.retryable },
    },
  });
}

/**
 * Whole seconds for a Retry-After header: from the error's `retry_after_ms`, else 1, for reasons that HTTP knows as
 * 429 or 503; null for the others.
 */
export function retryAfterSeconds(error: ContextdError): number | null {
  const { http } = ERRORS[error.reason as ErrorReason];
  if (http !== 429 && http !== 503) return null;
  const wait = error.data["retry_after_ms"];
  return typeof wait === "number" && wait > 0 ? Math.ceil(wait / 1000) : DEFAULT_RETRY_SECONDS;
}
