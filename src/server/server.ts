import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { isLoopback } from "../config/loopback.ts";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Log } from "../model/log.ts";
import type { Dispatcher } from "../rpc/dispatcher.ts";
import type { Authenticator } from "./auth.ts";
import { assertSafeBind } from "./bind.ts";
import { BodyReader } from "./body.ts";
import { Connections } from "./connections.ts";
import { refusalOfClientError, refuseSocket, sendFailure } from "./errors.ts";
import { SECURITY_HEADERS } from "./headers.ts";
import { HostGuard } from "./hosts.ts";
import type { Admission } from "./limits.ts";
import { type ServerOptions, SetupError } from "./options.ts";
import { type HttpRoute, healthRoutes, type Readiness } from "./routes.ts";
import { RpcEndpoint } from "./rpc-endpoint.ts";
import { siteListener } from "./site.ts";
import { readTarget } from "./target.ts";
import { SocketHub, type UpgradeHandler } from "./upgrades.ts";
import { RpcSocket } from "./websocket.ts";

const MAX_HEADER_BYTES = 16 * 1024;
/** Idle time between two requests of a connection: agents think for a while between turns, and proxies wait 60 s. */
const KEEP_ALIVE_MS = 65_000;
/** How often node looks for connections over their time; its default of 30 s would triple the header timeout. */
const TIMEOUT_CHECK_MS = 500;
/** Between pings of a WebSocket. */
const PING_MS = 20_000;
/** Messages of one WebSocket that are in hand at a time. */
const SOCKET_IN_FLIGHT = 32;
/** All bodies being received may hold this many times the limit of one. */
const BODIES_FACTOR = 16;

export interface ServerDependencies {
  readonly dispatcher: Dispatcher;
  readonly authenticator: Authenticator;
  /** The one that the dispatcher's `admit` asks. */
  readonly admission: Admission;
  /** Routes besides the health ones, such as `/metrics` and `/openrpc.json`. */
  readonly routes: readonly HttpRoute[];
  /** Folder of the page's files; null: none. */
  readonly pageDirectory: string | null;
  readonly log: Log;
  ready(): Readiness;
  /** Detail for /healthz: sizes and states, no secrets. */
  health(): Promise<JsonObject>;
}

export interface RunningServer {
  /** Where it is reached, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Serves WebSockets at a further path. */
  registerUpgrade(path: string, handler: UpgradeHandler): void;
  stats(): ServerStats;
  /**
   * Stops accepting, lets calls in flight finish for `drain_timeout_ms`, closes WebSockets with 1001, then cuts off
   * what is left. Safe to call again: the same promise.
   */
  close(): Promise<void>;
}

interface ServerStats {
  readonly connections: number;
  /** Closed or refused for want of room, since the start. */
  readonly connectionsShed: number;
  readonly webSockets: number;
}

/** Listens, and resolves when requests are served. Rejects with SetupError for an address that must not be served. */
export async function startServer(options: ServerOptions, dependencies: ServerDependencies): Promise<RunningServer> {
  for (const warning of assertSafeBind(options)) dependencies.log.warn({ host: options.host }, warning);
  const front = new Front(options, dependencies);
  const server = await makeServer(options, (request, response) => front.serve(request, response));
  front.attach(server);
  try {
    await listen(server, options, dependencies.authenticator);
  } catch (error) {
    await front.hub.drain(0);
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  let closing: Promise<void> | null = null;
  return {
    url: urlOf(options, port),
    port,
    registerUpgrade: (path, handler) => front.hub.register(path, handler),
    stats: () => ({
      connections: front.connections.open,
      connectionsShed: front.connections.shed,
      webSockets: front.hub.open,
    }),
    close: () => {
      closing ??= front.drain(server);
      return closing;
    },
  };
}

/** What stands between node's server and the dispatcher, the routes and the WebSockets. */
class Front {
  readonly hub: SocketHub;
  readonly connections: Connections;
  readonly #options: ServerOptions;
  readonly #dependencies: ServerDependencies;
  readonly #guard: HostGuard;
  readonly #rpc: RpcEndpoint;
  readonly #site: RequestListener;
  #draining = false;

  constructor(options: ServerOptions, dependencies: ServerDependencies) {
    const { limits } = options;
    const { authenticator, admission, dispatcher, log } = dependencies;
    this.#options = options;
    this.#dependencies = dependencies;
    this.#guard = new HostGuard(options);
    this.connections = new Connections(limits.connections);
    const bodies = new BodyReader({ bodyBytes: limits.body_bytes, totalBytes: limits.body_bytes * BODIES_FACTOR });
    this.#rpc = new RpcEndpoint({ dispatcher, authenticator, admission, bodies, connections: this.connections, log });
    const health = healthRoutes({ ready: () => this.#readiness(), health: () => dependencies.health() });
    this.#site = siteListener(
      { routes: [...health, ...dependencies.routes], pageDirectory: dependencies.pageDirectory },
      { authenticator, bodies, log },
    );
    this.hub = new SocketHub({ payloadBytes: limits.body_bytes, keepaliveMs: PING_MS }, { authenticator, log });
    const socketOptions = { maxInFlight: SOCKET_IN_FLIGHT, bufferBytes: limits.subscriber_buffer_bytes };
    this.hub.register("/ws", {
      access: { scope: "agent", mutates: false },
      open: (request) => (socket) => new RpcSocket(socket, request, socketOptions, { dispatcher, log }),
    });
  }

  attach(server: Server): void {
    const { limits, tls } = this.#options;
    // Connections over the limit are dealt with in Connections; this bounds those still in their TLS handshake.
    server.maxConnections = limits.connections * 2;
    const connected = tls.cert_file === null ? "connection" : "secureConnection";
    server.on(connected, (socket: Socket) => this.connections.add(socket));
    server.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
      if (error.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) socket.destroy();
      else refuseSocket(socket, refusalOfClientError(error));
    });
  }

  serve(request: IncomingMessage, response: ServerResponse): void {
    if (this.#draining) response.shouldKeepAlive = false;
    let form: "rpc" | "plain" = "plain";
    try {
      const { path, query } = readTarget(request.url ?? "", this.#options.path_prefix);
      if (path === "/rpc") form = "rpc";
      this.#guard.check(request);
      if (form === "rpc") {
        void this.#rpc.serve(request, response);
        return;
      }
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
      if (path === "") {
        this.#toTheSlash(query, response);
        return;
      }
      this.connections.busy(request.socket);
      response.once("close", () => this.connections.idle(request.socket));
      request.url = query === "" ? path : `${path}?${query}`;
      this.#site(request, response);
    } catch (error) {
      sendFailure(request, response, error, form);
    }
  }

  /** The page's files are relative to its address, so that it has to end in a slash. */
  #toTheSlash(query: string, response: ServerResponse): void {
    const last = this.#options.path_prefix.split("/").at(-1);
    response.writeHead(308, { Location: `${last}/${query === "" ? "" : `?${query}`}`, "Content-Length": 0 });
    response.end();
  }

  async drain(server: Server): Promise<void> {
    const { drain_timeout_ms: timeoutMs } = this.#options;
    this.#draining = true;
    this.#dependencies.admission.drain();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeIdleConnections();
    this.connections.drain();
    const cutOff = setTimeout(() => {
      const { open } = this.connections;
      this.#dependencies.log.warn({ connections: open }, "the time to drain is over: what is still open is cut off");
      this.hub.terminateAll();
      this.connections.destroyAll();
    }, timeoutMs);
    await this.hub.drain(timeoutMs);
    await closed;
    clearTimeout(cutOff);
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    try {
      const target = readTarget(request.url ?? "", this.#options.path_prefix);
      this.#guard.check(request);
      if (this.#draining) throw new ContextdError("draining", "The daemon is shutting down: connect again later.");
      this.hub.upgrade(request, socket, head, target);
      this.connections.busy(request.socket);
    } catch (error) {
      refuseSocket(socket, error);
    }
  }

  #readiness(): Readiness {
    return this.#draining ? { ready: false, reasons: ["draining"] } : this.#dependencies.ready();
  }
}

/** Whether an answer has begun on the socket, so that another would corrupt it. Node keeps it in this property. */
function isAnswering(socket: Duplex): boolean {
  return (socket as Duplex & { _httpMessage?: { headersSent: boolean } | null })._httpMessage?.headersSent === true;
}

async function makeServer(options: ServerOptions, serve: RequestListener): Promise<Server> {
  const { limits, tls } = options;
  const settings = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.header_timeout_ms,
    requestTimeout: Math.max(limits.request_timeout_ms, limits.header_timeout_ms),
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, limits.header_timeout_ms),
    keepAliveTimeout: KEEP_ALIVE_MS,
    noDelay: true,
    // HostGuard asks for it, and its answer has a body that says so.
    requireHostHeader: false,
    // Newer node leaves other upgrades (h2c, which some clients always offer) to plain HTTP; older ignores this.
    shouldUpgradeCallback: (request: IncomingMessage) => request.headers.upgrade?.toLowerCase() === "websocket",
  };
  if (tls.cert_file === null || tls.key_file === null) return createServer(settings, serve);
  const [cert, key] = await Promise.all([readPem(tls.cert_file), readPem(tls.key_file)]);
  const handshakeTimeout = limits.header_timeout_ms;
  return createTlsServer({ ...settings, cert, key, handshakeTimeout, minVersion: "TLSv1.2" }, serve);
}

async function readPem(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new SetupError(`server.tls: ${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

async function listen(server: Server, options: ServerOptions, authenticator: Authenticator): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // A burst of connections waits to be accepted rather than being dropped by the kernel; node's default is 511.
    server.listen({ port: options.port, host: options.host, backlog: options.limits.connections }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  const { address } = server.address() as AddressInfo;
  // "localhost" is whatever the machine's resolver says it is.
  if (!authenticator.required && isLoopback(options.host) && !isLoopback(address)) {
    await new Promise((resolve) => server.close(resolve));
    throw new SetupError(`server.host ${options.host} resolves to ${address}, which is not the loopback.`);
  }
}

function urlOf(options: ServerOptions, port: number): string {
  const scheme = options.tls.cert_file === null ? "http" : "https";
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return `${scheme}://${host}:${port}${options.path_prefix}`;
}
