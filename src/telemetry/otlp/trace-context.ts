/** What a `traceparent` says (W3C Trace Context, level 1). */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const FORM = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** null where there is none; what arrives here has been checked at the door (server/headers.ts). */
export function traceContext(traceparent: string | undefined): TraceContext | null {
  const [, traceId, spanId, flags] = FORM.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
