/**
 * What HTTP itself refuses, before any call is looked at. The names are the `reason` (or, at /rpc, `data.refusal`)
 * of the answer; docs/errors.md is tested against this table.
 */
export const REFUSALS = {
  bad_request: { http: 400, meaning: "The request is not proper HTTP, or was cut off." },
  token_in_query: { http: 400, meaning: "A token came in the query string, where logs keep it." },
  foreign_host: { http: 403, meaning: "The Host header names no host that is served here." },
  foreign_origin: { http: 403, meaning: "The request comes from another site's page." },
  not_found: { http: 404, meaning: "Nothing is served at this path." },
  method_not_allowed: { http: 405, meaning: "The path is served, but not with this HTTP method." },
  request_timeout: { http: 408, meaning: "The headers or the body took too long to arrive." },
  payload_too_large: { http: 413, meaning: "The body is over the limit." },
  unsupported_media_type: { http: 415, meaning: "The body is not plain `application/json`, UTF-8, unencoded." },
  upgrade_required: { http: 426, meaning: "The path speaks WebSocket only, or the upgrade asked for is another." },
  headers_too_large: { http: 431, meaning: "The request's headers are over 16 KiB." },
} as const satisfies Record<string, { readonly http: number; readonly meaning: string }>;

export type RefusalReason = keyof typeof REFUSALS;

/** A request that is refused as a whole. The message names the mistake and the cure, and holds no value of the caller's. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  /** Headers of the answer, such as Allow. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(reason: RefusalReason, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "Refusal";
    this.reason = reason;
    this.headers = headers;
  }

  get status(): number {
    return REFUSALS[this.reason].http;
  }
}
