import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import type { Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Address, bareHost, isDenied, type Lookup } from "./addresses.ts";
import { asOutboundError, OutboundError } from "./error.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON; absent: no body. */
  readonly body?: unknown;
}

export interface HttpReply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface SendOptions {
  /** Largest body that is read, in bytes after decompression, and as many before it. */
  readonly maxBytes: number;
  /** Ends the exchange at any stage; its reason is what `send` rejects with. */
  readonly signal: AbortSignal;
  readonly lookup: Lookup;
}

/** As much of a refusal's body as tells why. */
const REFUSAL_BYTES = 64 << 10;

/**
 * One exchange over a connection of its own, so that no idle socket is left behind and the address is checked each time.
 * Redirects are replies like any other. Rejects with OutboundError: `denied_address`, `connection`, `too_large` (a body over
 * the limit is cut off while it is read; one that belongs to an error status is cut short instead), or with the signal's
 * reason. There is no time limit but the signal.
 */
export async function send(request: HttpRequest, options: SendOptions): Promise<HttpReply> {
  const { signal, maxBytes } = options;
  signal.throwIfAborted();
  const host = bareHost(request.url.hostname);
  if (isDenied(host)) throw new OutboundError("denied_address");
  let message: IncomingMessage | null = null;
  try {
    message = await head(request, options);
    const status = message.statusCode ?? 0;
    const success = status >= 200 && status < 300;
    const body = await read(message, success ? maxBytes : Math.min(maxBytes, REFUSAL_BYTES), success);
    return { status, headers: message.headers, body };
  } catch (error) {
    signal.throwIfAborted();
    throw asOutboundError(error);
  } finally {
    message?.destroy();
  }
}

/** Sends the request and resolves with the reply's head. */
function head({ method, url, headers, body }: HttpRequest, { signal, lookup }: SendOptions): Promise<IncomingMessage> {
  const content = body === undefined ? null : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const open = url.protocol === "https:" ? httpsRequest : httpRequest;
    const outgoing = open(url, {
      method,
      agent: false,
      signal,
      lookup: checked(lookup),
      headers: {
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": "contextd",
        ...(content && { "content-type": "application/json", "content-length": String(content.length) }),
        ...headers,
      },
    });
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    outgoing.end(content ?? undefined);
  });
}

/** A lookup that hands out no address of a host that has a denied one: the check and the connection cannot differ. */
function checked(lookup: Lookup): LookupFunction {
  return (host, options, callback) => {
    const answer = (addresses: readonly Address[]): void => {
      const [first] = addresses;
      if (addresses.some(({ address }) => isDenied(address))) callback(denial(), "", 0);
      else if (!first) callback(new Error("the name has no address"), "", 0);
      else if (options.all === true) callback(null, [...addresses]);
      else callback(null, first.address, first.family);
    };
    lookup(host).then(answer, (error: NodeJS.ErrnoException) => callback(error, "", 0));
  };
}

function denial(): NodeJS.ErrnoException {
  return new OutboundError("denied_address");
}

/** The body, decompressed. `whole`: one over the limit is refused; else its beginning is enough. */
async function read(message: IncomingMessage, maxBytes: number, whole: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decompressed(message, maxBytes)) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) {
      if (whole) throw new OutboundError("too_large");
      break;
    }
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** What is asked for is plain text; servers that compress all the same are read too. */
function decompressed(message: IncomingMessage, maxBytes: number): Readable {
  const decoder = decoderOf(message.headers["content-encoding"]);
  if (!decoder) return message;
  let compressed = 0;
  message.on("data", (chunk: Buffer) => {
    compressed += chunk.length;
    if (compressed > maxBytes) decoder.destroy(new OutboundError("too_large"));
  });
  message.on("error", (error) => decoder.destroy(error));
  message.on("close", () => {
    if (!message.complete) decoder.destroy(new OutboundError("connection"));
  });
  return message.pipe(decoder);
}

function decoderOf(encoding: string | undefined) {
  switch (encoding?.trim().toLowerCase()) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      return null;
  }
}
