import { asOutboundError, type Lookup, lookupAll, retryAfterMs, send } from "../../outbound/index.ts";
import { HeadersUnreadable } from "./headers-file.ts";

/** What came of one request. */
export type PostResult =
  | { readonly kind: "taken"; readonly rejected: number }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "again"; readonly code: string; readonly retryAfterMs: number | undefined };

export interface PostOptions {
  readonly url: URL;
  readonly headers: () => Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Ends the request at once. */
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly lookup?: Lookup;
}

/** The statuses after which OTLP has a client try again; all other errors are final. */
const AGAIN = new Set([429, 502, 503, 504]);
/** Collectors answer next to nothing. */
const REPLY_BYTES = 64 << 10;

/** Posts a batch. Never rejects. */
export async function postSpans(body: unknown, options: PostOptions): Promise<PostResult> {
  const { url, headers, timeoutMs, now, lookup = lookupAll } = options;
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([late, options.signal]);
  try {
    const request = { method: "POST", url, headers: headers(), body } as const;
    const reply = await send(request, { maxBytes: REPLY_BYTES, signal, lookup });
    if (reply.status >= 200 && reply.status < 300) return { kind: "taken", rejected: rejectedSpans(reply.body) };
    const code = String(reply.status);
    if (!AGAIN.has(reply.status)) return { kind: "refused", code };
    return { kind: "again", code, retryAfterMs: retryAfterMs(reply.headers, now()) };
  } catch (error) {
    return failureOf(error, late.aborted);
  }
}

function failureOf(error: unknown, late: boolean): PostResult {
  if (late) return { kind: "again", code: "timeout", retryAfterMs: undefined };
  if (error instanceof HeadersUnreadable) return { kind: "again", code: error.code, retryAfterMs: undefined };
  const { reason, code } = asOutboundError(error);
  if (reason === "denied_address") return { kind: "refused", code: reason };
  // Only a success is read to its end: the batch was taken, whatever else the collector has to say.
  if (reason === "too_large") return { kind: "taken", rejected: 0 };
  return { kind: "again", code: code ?? reason, retryAfterMs: undefined };
}

/** `partialSuccess.rejectedSpans` of an ExportTraceServiceResponse, an int64: a string, or a number as some write it. */
function rejectedSpans(body: Buffer): number {
  try {
    const { partialSuccess } = JSON.parse(body.toString()) as { partialSuccess?: { rejectedSpans?: unknown } };
    const rejected = Number(partialSuccess?.rejectedSpans ?? 0);
    return Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0;
  } catch {
    return 0;
  }
}
