export const TRANSPORTS = ["websocket", "http"] as const;
export type Transport = (typeof TRANSPORTS)[number];

/**
 * How a push ended. `ok`: Grafana has read it; `unauthorized`: it does not know the credentials; `refused`: not for these
 * credentials, or not there (403, 404, a redirect, a proxy that lets no WebSocket through); `rejected`: it cannot read
 * what was sent; `unavailable`: no answer, or one that says to come back; `timeout`: connected, but no answer in time;
 * `denied_address`: the name leads to a link-local address, so nothing was sent.
 */
const OUTCOMES = ["ok", "unauthorized", "refused", "rejected", "unavailable", "timeout", "denied_address"] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** A push that failed. Holds no address, no credentials and nothing of what was sent. */
export class PushError extends Error {
  readonly outcome: Exclude<Outcome, "ok">;
  /** HTTP status that was answered; null: none was. */
  readonly status: number | null;

  constructor(outcome: Exclude<Outcome, "ok">, status: number | null = null) {
    super(status === null ? `the push to Grafana failed: ${outcome}` : `Grafana answered ${status}: ${outcome}`);
    this.name = "PushError";
    this.outcome = outcome;
    this.status = status;
  }
}

/** What a status that is no success means, at the upgrade and for a POST alike. */
export function refusal(status: number): PushError {
  return new PushError(outcomeOf(status), status);
}

function outcomeOf(status: number): Exclude<Outcome, "ok"> {
  if (status === 401) return "unauthorized";
  // Grafana answers lines that it cannot parse with 500, which may as well be a fault of its own.
  if (status === 500 || status === 413 || status === 422) return "rejected";
  if (status === 429 || status === 502 || status === 503 || status === 504) return "unavailable";
  return "refused";
}

/** Whatever else goes wrong on the way is no connection. */
export function asPushError(error: unknown): PushError {
  if (error instanceof PushError) return error;
  return new PushError("unavailable");
}
