import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ContextdError, ERRORS } from "../model/errors.ts";
import { errorText, retryAfterSeconds } from "../rpc/reply.ts";
import { SECURITY_HEADER_LIST } from "./headers.ts";
import { REFUSALS, Refusal } from "./refusals.ts";

/** How long, and for how many bytes, an unwanted body is read on so that its sender gets to see the answer. */
const LINGER_MS = 1000;
const LINGER_BYTES = 16 * 1024 * 1024;

/** The answer to a request that failed as a whole. */
interface Failure {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

/**
 * The answer for an error. At /rpc (`form` "rpc") every body is a JSON-RPC error, so that clients need one reader; what
 * HTTP refuses is then an `invalid_request` with the refusal's name in `data.refusal`. Elsewhere it is
 * `{error: {reason, message}}`. Neither holds a stack, nor anything the caller sent.
 */
function failureOf(error: unknown, form: "rpc" | "plain"): Failure {
  const known = error instanceof Refusal || error instanceof ContextdError ? error : INTERNAL;
  const status = known instanceof Refusal ? known.status : ERRORS[known.reason].http;
  const headers = [...SECURITY_HEADER_LIST, "Content-Type", "application/json"];
  if (known instanceof Refusal) headers.push(...Object.entries(known.headers).flat());
  if (known instanceof ContextdError) headers.push(...headersOf(known));
  return { status, headers, body: form === "rpc" ? rpcBody(known) : plainBody(known) };
}

const INTERNAL = new ContextdError("internal_error", "The daemon failed here; its log has the cause.");

function rpcBody(error: Refusal | ContextdError): string {
  if (error instanceof ContextdError) return errorText(null, error);
  return errorText(null, new ContextdError("invalid_request", error.message, { refusal: error.reason }));
}

function plainBody(error: Refusal | ContextdError): string {
  return JSON.stringify({ error: { reason: error.reason, message: error.message } });
}

/** Headers that go with an error's status: when to come back, or how to authenticate. */
function headersOf(error: ContextdError): string[] {
  const wait = retryAfterSeconds(error);
  if (wait !== null) return ["Retry-After", String(wait)];
  return error.reason === "unauthorized" ? ["WWW-Authenticate", 'Bearer realm="contextd"'] : [];
}

/** Answers a request whose body may not have been read. */
export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  error: unknown,
  form: "rpc" | "plain",
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { status, headers, body } = failureOf(error, form);
  const length = ["Content-Length", String(Buffer.byteLength(body))];
  if (request.readableEnded || status !== REFUSALS.payload_too_large.http) {
    response.writeHead(status, [...headers, ...length]).end(request.method === "HEAD" ? "" : body);
    return;
  }
  // Closing on a sender in full flow resets the connection, and the answer is lost: read on for a moment.
  response.writeHead(status, [...headers, ...length, "Connection", "close"]).write(body);
  let left = LINGER_BYTES;
  const finish = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(finish, LINGER_MS);
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) finish();
  });
  request.on("end", finish).on("close", finish).resume();
}

/** Answers on a bare socket: an upgrade that is refused, or bytes that are no HTTP. */
export function refuseSocket(socket: Duplex, error: unknown): void {
  const { status, headers, body } = failureOf(error, "plain");
  const all = [...headers, "Content-Length", String(Buffer.byteLength(body)), "Connection", "close"];
  const lines = [];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  socket.on("error", () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${PHRASES[status] ?? "Error"}\r\n${lines.join("\r\n")}\r\n\r\n${body}`, () =>
    socket.destroy(),
  );
}

const PHRASES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  426: "Upgrade Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** What node's parser could not make a request of, by its error codes. */
export function refusalOfClientError(error: NodeJS.ErrnoException): Refusal {
  if (error.code === "HPE_HEADER_OVERFLOW") {
    return new Refusal("headers_too_large", "The request's headers are over 16 KiB.");
  }
  if (error.code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new Refusal("request_timeout", "The request took too long to arrive.");
  }
  return new Refusal("bad_request", "This is not a proper HTTP/1.1 request.");
}
