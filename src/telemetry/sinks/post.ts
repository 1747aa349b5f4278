import { asOutboundError, type HttpReply, type Lookup, lookupAll, retryAfterMs, send } from "../../outbound/index.ts";
import { DeliveryError } from "./sink.ts";

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What receivers answer is not read beyond this. */
const REPLY_BYTES = 64 << 10;

/**
 * Posts JSON. Resolves with a success. Rejects with DeliveryError: passing for what the network does, 5xx, 429 and
 * redirects (which are not followed), permanent for other 4xx and for a link-local address; or with the signal's reason.
 */
export async function postJson(
  request: PostRequest,
  options: { readonly signal: AbortSignal; readonly now: () => number; readonly lookup?: Lookup },
): Promise<void> {
  const { signal, now, lookup = lookupAll } = options;
  let reply: HttpReply;
  try {
    const { url, headers, body } = request;
    reply = await send({ method: "POST", url: new URL(url), headers, body }, { maxBytes: REPLY_BYTES, signal, lookup });
  } catch (error) {
    signal.throwIfAborted();
    const { reason, code, message } = asOutboundError(error);
    // Only a success is read to its end: the notice was taken, whatever else the receiver has to say.
    if (reason === "too_large") return;
    throw new DeliveryError(message, { permanent: reason === "denied_address", code: code ?? reason });
  }
  const failure = failureOf(reply, now());
  if (failure) throw failure;
}

function failureOf({ status, headers }: HttpReply, now: number): DeliveryError | null {
  if (status >= 200 && status < 300) return null;
  const code = String(status);
  if (status >= 300 && status < 400) {
    return new DeliveryError("The receiver answered a redirect, which is not followed: check the URL.", {
      permanent: false,
      code,
    });
  }
  const permanent = status < 500 && status !== 429;
  const sentence = permanent
    ? "The receiver refused the notice: check URL and secrets."
    : "The receiver cannot take the notice now.";
  return new DeliveryError(sentence, { permanent, code, retryAfterMs: retryAfterMs(headers, now) });
}
