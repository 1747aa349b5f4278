import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";

/** What can go wrong with an answer. */
export type LlmFault =
  /** Takes the request and never answers. */
  | { readonly fault: "hang" }
  /** A valid head, then one byte of body now and then. */
  | { readonly fault: "drip"; readonly everyMs?: number }
  /** The connection is reset before an answer, or in the middle of its body. */
  | { readonly fault: "reset"; readonly when?: "head" | "body" }
  /** An error status in the provider's own shape. `retryAfter`: the header as it is sent. */
  | { readonly fault: "status"; readonly status: number; readonly retryAfter?: string; readonly message?: string }
  /** The provider's refusal of a prompt that does not fit. */
  | { readonly fault: "context_too_long" }
  /** Success with a web page. */
  | { readonly fault: "html" }
  /** Success with text that is no JSON; with JSON cut in the middle; with JSON of another shape; with bad UTF-8. */
  | { readonly fault: "invalid_json" | "truncated_json" | "other_shape" | "invalid_utf8" }
  /** Success with no body, or with an answer of nothing. */
  | { readonly fault: "empty_body" }
  /** Success with 50 MB. `declared`: with its Content-Length. */
  | { readonly fault: "huge"; readonly declared?: boolean }
  /** Success with half a megabyte of gzip that unpacks to half a gigabyte. */
  | { readonly fault: "gzip_bomb" }
  /** A redirect, to the address of a cloud's metadata unless said otherwise. */
  | { readonly fault: "redirect"; readonly to?: string };

const HUGE_BYTES = 50_000_000;
const MEBIBYTE = 1 << 20;

type Refuse = (refused: { status: number; type: string; message: string }) => void;

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

/** Answers with the fault. `sent` is told of body bytes as the system takes them. */
export async function respondWithFault(
  fault: LlmFault,
  response: ServerResponse,
  refuse: Refuse,
  sent: (bytes: number) => void,
): Promise<void> {
  switch (fault.fault) {
    case "hang":
      return;
    case "drip":
      return drip(response, fault.everyMs ?? 1000);
    case "reset":
      return reset(response, fault.when ?? "head");
    case "status": {
      const { status, retryAfter, message = "Something went wrong." } = fault;
      if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
      return refuse({ status, type: TYPES[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message });
    }
    case "context_too_long":
      return refuse({
        status: 400,
        type: "context_length_exceeded",
        message: "prompt is too long: 9000 tokens > 8192 maximum",
      });
    case "html":
      return end(response, "text/html", "<!doctype html><title>Sign in</title><h1>Welcome</h1>");
    case "invalid_json":
      return end(response, "application/json", "{'choices': sorry}");
    case "truncated_json":
      return end(response, "application/json", '{"type":"message","choices":[{"message":{"content":"the secret is');
    case "other_shape":
      return end(response, "application/json", '{"type":"pong","choices":[]}');
    case "invalid_utf8":
      return end(response, "application/json", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]));
    case "empty_body":
      return end(response, "application/json", "");
    case "huge":
      return huge(response, fault.declared === true, sent);
    case "gzip_bomb":
      response.setHeader("content-encoding", "gzip");
      return end(response, "application/json", gzipBomb());
    case "redirect":
      response.writeHead(302, { location: fault.to ?? "http://169.254.169.254/latest/meta-data/" });
      response.end();
  }
}

function end(response: ServerResponse, type: string, body: string | Buffer): void {
  response.writeHead(200, { "content-type": type });
  response.end(body);
}

async function drip(response: ServerResponse, everyMs: number): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  while (!response.destroyed) {
    response.write(" ");
    await sleep(everyMs, undefined, { ref: false });
  }
}

function reset(response: ServerResponse, when: "head" | "body"): void {
  if (when === "body") {
    response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
    response.write('{"type":"message",', () => response.socket?.resetAndDestroy());
  } else response.socket?.resetAndDestroy();
}

async function huge(response: ServerResponse, declared: boolean, sent: (bytes: number) => void): Promise<void> {
  response.writeHead(200, { "content-type": "application/json", ...(declared && { "content-length": HUGE_BYTES }) });
  const chunk = Buffer.alloc(100_000, "a");
  for (let size = 0; size < HUGE_BYTES && !response.destroyed; size += chunk.length) {
    await new Promise<void>((resolve) => {
      response.once("close", resolve);
      response.write(chunk, () => {
        response.off("close", resolve);
        sent(chunk.length);
        resolve();
      });
    });
  }
  response.end();
}

/** Members of a gzip file follow one another, so one packed mebibyte, repeated, is as many unpacked. */
function gzipBomb(): Buffer {
  return Buffer.concat(new Array<Buffer>(512).fill(gzipSync(Buffer.alloc(MEBIBYTE), { level: 9 })));
}
