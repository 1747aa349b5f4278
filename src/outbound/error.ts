const FAILURES = {
  connection: "could not be reached, or cut the connection",
  denied_address: "has a link-local address, which is never called",
  too_large: "answered more than is read",
} as const;

export type OutboundFailure = keyof typeof FAILURES;

/** An exchange that gave no reply. Neither message nor fields hold addresses, or anything that was said. */
export class OutboundError extends Error {
  readonly reason: OutboundFailure;
  /** The system's code, such as ECONNREFUSED, where there is one. */
  readonly code: string | undefined;

  constructor(reason: OutboundFailure, code?: string) {
    super(`The other side ${FAILURES[reason]}${code === undefined ? "" : ` [${code}]`}.`);
    this.name = "OutboundError";
    this.reason = reason;
    this.code = code;
  }
}

/** Whatever was thrown as an OutboundError; what is none is a fault on the way, told by the system's code alone. */
export function asOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = (error as { readonly code?: unknown } | null)?.code;
  return new OutboundError("connection", typeof code === "string" ? code : undefined);
}
