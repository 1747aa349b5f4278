import { connect } from "node:net";
import type { z } from "zod";
import { Dispatcher } from "../../src/rpc/dispatcher.ts";
import type { RpcMethod } from "../../src/rpc/method.ts";
import { rpcDiscover } from "../../src/rpc/methods/rpc-discover.ts";
import { openRpcDocument } from "../../src/rpc/openrpc.ts";
import { Authenticator } from "../../src/server/auth.ts";
import { Admission } from "../../src/server/limits.ts";
import type { ServerLimits, ServerOptions } from "../../src/server/options.ts";
import { documentRoute, type HttpRoute, metricsRoute, type Readiness } from "../../src/server/routes.ts";
import { type RunningServer, startServer } from "../../src/server/server.ts";
import { readTokenEntries } from "../../src/server/tokens.ts";
import { RecordingLog } from "./recording-log.ts";
import { type MethodProbe, methodProbe, testMethods } from "./rpc-methods.ts";

const SERVICE = { title: "test", version: "0.0.0", description: "A registry for tests." };

const TEST_LIMITS: ServerLimits = {
  body_bytes: 4 << 20,
  subscriber_buffer_bytes: 1 << 20,
  connections: 2000,
  hooks_in_flight: 2000,
  header_timeout_ms: 10_000,
  request_timeout_ms: 30_000,
};

export type Settings = Omit<Partial<ServerOptions>, "limits"> & {
  readonly limits?: Partial<ServerLimits>;
  readonly perTenant?: number;
  readonly tokens?: readonly z.input<z.ZodType>[];
  readonly routes?: readonly HttpRoute[];
  readonly pageDirectory?: string;
  readonly methods?: readonly RpcMethod[];
  readonly callTimeoutMs?: number;
  readonly ready?: () => Readiness;
};

export interface TestServer extends RunningServer {
  readonly log: RecordingLog;
  readonly probe: MethodProbe;
  readonly dispatcher: Dispatcher;
  readonly authenticator: Authenticator;
  readonly admission: Admission;
  readonly methods: readonly RpcMethod[];
  readonly routes: readonly HttpRoute[];
  readonly options: ServerOptions;
}

/** A server on a free port of the loopback over a small registry, put together as the daemon does it. */
export async function startTestServer(settings: Settings = {}): Promise<TestServer> {
  const { tokens, perTenant, routes: extra, pageDirectory, methods: given, ready, callTimeoutMs, ...server } = settings;
  const limits = { ...TEST_LIMITS, ...server.limits };
  const options: ServerOptions = {
    host: "127.0.0.1",
    port: 0,
    path_prefix: "",
    auth: { tokens_file: tokens ? "tokens.json" : null },
    allowed_hosts: [],
    allowed_origins: [],
    tls: { cert_file: null, key_file: null },
    drain_timeout_ms: 2000,
    dangerously_listen_without_auth: false,
    ...server,
    limits,
  };
  const log = new RecordingLog();
  const probe = methodProbe();
  const authenticator = new Authenticator(tokens ? readTokenEntries(tokens) : null);
  const admission = new Admission({
    inFlight: limits.hooks_in_flight,
    perTenant: perTenant ?? limits.hooks_in_flight,
  });
  const methods: RpcMethod[] = [...(given ?? testMethods(probe))];
  methods.push(rpcDiscover(() => methods, SERVICE));
  const dispatcher = new Dispatcher(
    { maxBatch: 100, maxDepth: 64, callTimeoutMs: callTimeoutMs ?? null },
    { methods, log, admit: (_method, context) => admission.enter(context.principal.tenant) },
  );
  const routes = [
    documentRoute("/openrpc.json", "The OpenRPC document.", () => openRpcDocument(methods, SERVICE)),
    metricsRoute(async () => ({ contentType: "text/plain; version=0.0.4", body: "up 1\n" })),
    ...(extra ?? []),
  ];
  const running = await startServer(options, {
    dispatcher,
    authenticator,
    admission,
    routes,
    pageDirectory: pageDirectory ?? null,
    log,
    ready: ready ?? (() => ({ ready: true, reasons: [] })),
    health: async () => ({ calls: probe.calls.length }),
  });
  return { ...running, log, probe, dispatcher, authenticator, admission, methods, routes, options };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends bytes as they are and gives what came back until the server closed. */
export function exchange(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString()));
    socket.on("error", (error: NodeJS.ErrnoException) => {
      // A reset after an answer still leaves the answer.
      if (error.code !== "ECONNRESET" && error.code !== "EPIPE") reject(error);
    });
  });
}

/** A request of exactly these headers, and its answer. The connection is closed by it. */
export async function sendRaw(
  port: number,
  request: { method?: string; path?: string; headers?: readonly string[]; body?: string | Uint8Array },
): Promise<HttpAnswer> {
  const body = Buffer.from(request.body ?? "");
  const headers = [...(request.headers ?? ["Host: localhost"])];
  if (!headers.some((header) => /^connection:/i.test(header))) headers.push("Connection: close");
  if (body.length > 0) headers.push(`Content-Length: ${body.length}`);
  const head = `${request.method ?? "GET"} ${request.path ?? "/"} HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\n`;
  return parseAnswer(await exchange(port, Buffer.concat([Buffer.from(head), body])));
}

export function parseAnswer(text: string): HttpAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(statusLine.split(" ")[1] ?? 0), headers, body: text.slice(end + 4) };
}

/** One call over fetch. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}
