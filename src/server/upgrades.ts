import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import type { Log } from "../model/log.ts";
import type { Access, Principal } from "../rpc/scope.ts";
import { type Authenticator, requireAccess } from "./auth.ts";
import { traceparentOf } from "./headers.ts";
import { Refusal } from "./refusals.ts";
import { notServed, type Target } from "./target.ts";

/** The subprotocol that is agreed on where a client offers it; the others it may offer are never chosen. */
const PROTOCOL = "contextd.v1";
/** Close codes of RFC 6455: going away, and policy violation. */
const GOING_AWAY = 1001;
const POLICY = 1008;

/** What is known of a connection after its handshake. */
export interface UpgradedRequest {
  readonly principal: Principal;
  readonly query: URLSearchParams;
  readonly traceparent: string | null;
}

/** What a hub asks of whoever took a connection over, before it closes it at a drain. */
interface Connected {
  /** Resolves when what the connection has in flight is answered. */
  quiet(): Promise<void>;
}

/** What is served at a path over WebSocket. */
export interface UpgradeHandler {
  readonly access: Access;
  /**
   * Judges a handshake that is authorised. Throws Refusal or ContextdError to answer it over HTTP instead. The answer
   * takes the connection over once it is open; the hub pings it, and closes it with 1001 when the daemon drains.
   */
  open(request: UpgradedRequest): (socket: WebSocket) => Connected | undefined;
}

export interface SocketHubOptions {
  /** Bytes of one message. */
  readonly payloadBytes: number;
  /** Milliseconds between pings; a peer that is silent from one to the next is gone. */
  readonly keepaliveMs: number;
}

interface Member {
  readonly principal: Principal;
  readonly connected: Connected | undefined;
  /** Heard of since the last ping. */
  alive: boolean;
}

/** All WebSockets of the daemon: handshakes, keep-alive and their end. */
export class SocketHub {
  readonly #server: WebSocketServer;
  readonly #authenticator: Authenticator;
  readonly #log: Log;
  readonly #handlers = new Map<string, UpgradeHandler>();
  readonly #members = new Map<WebSocket, Member>();
  readonly #timer: NodeJS.Timeout;

  constructor(options: SocketHubOptions, dependencies: { readonly authenticator: Authenticator; readonly log: Log }) {
    this.#authenticator = dependencies.authenticator;
    this.#log = dependencies.log;
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      maxPayload: options.payloadBytes,
      // Without compression there are no deflate bombs.
      perMessageDeflate: false,
      // The dispatcher checks the encoding itself and answers as over HTTP, where ws would close the connection.
      skipUTF8Validation: true,
      handleProtocols: (offered) => (offered.has(PROTOCOL) ? PROTOCOL : false),
    });
    this.#timer = setInterval(() => this.#keepAlive(), options.keepaliveMs).unref();
  }

  get open(): number {
    return this.#members.size;
  }

  register(path: string, handler: UpgradeHandler): void {
    if (this.#handlers.has(path)) throw new Error(`two WebSocket handlers at ${path}`);
    this.#handlers.set(path, handler);
  }

  /** Takes an upgrade request whose Host, Origin and target have passed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void {
    const { headers } = request;
    const handler = this.#handlers.get(target.path);
    if (!handler) throw notServed();
    if (headers.upgrade?.toLowerCase() !== "websocket" || request.method !== "GET") {
      throw new Refusal("upgrade_required", "Only an upgrade to WebSocket is served.", { Upgrade: "websocket" });
    }
    const principal = this.#authenticator.authenticateUpgrade(headers.authorization, headers["sec-websocket-protocol"]);
    requireAccess(principal, handler.access);
    const upgraded = { principal, query: new URLSearchParams(target.query), traceparent: traceparentOf(headers) };
    const takeOver = handler.open(upgraded);
    this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#join(webSocket, principal, takeOver));
  }

  /**
   * Closes every connection with 1001, each after the calls it has in flight; those that are still open after
   * `timeoutMs` are cut off.
   */
  async drain(timeoutMs: number): Promise<void> {
    clearInterval(this.#timer);
    const members = [...this.#members];
    const closed = members.map(([socket]) => new Promise((resolve) => socket.once("close", resolve)));
    for (const [socket, { connected }] of members) {
      void Promise.resolve(connected?.quiet()).then(() => socket.close(GOING_AWAY, "the daemon is shutting down"));
    }
    const cutOff = setTimeout(() => this.terminateAll(), timeoutMs);
    await Promise.all(closed);
    clearTimeout(cutOff);
  }

  terminateAll(): void {
    for (const socket of this.#members.keys()) socket.terminate();
  }

  #join(socket: WebSocket, principal: Principal, takeOver: ReturnType<UpgradeHandler["open"]>): void {
    socket.on("error", (error: Error & { code?: string }) => {
      this.#log.debug({ code: error.code }, "a WebSocket broke the protocol or its limits");
    });
    const member: Member = { principal, connected: takeOver(socket), alive: true };
    this.#members.set(socket, member);
    const heard = (): void => {
      member.alive = true;
    };
    socket.on("pong", heard).on("message", heard);
    socket.on("close", () => this.#members.delete(socket));
  }

  #keepAlive(): void {
    for (const [socket, member] of this.#members) {
      if (!this.#authenticator.stillHolds(member.principal)) {
        socket.close(POLICY, "the token was withdrawn");
      } else if (member.alive) {
        member.alive = false;
        socket.ping();
      } else if (!(socket.isPaused && socket.bufferedAmount === 0)) {
        // One that we ourselves do not read from cannot be heard; any other is half open.
        socket.terminate();
      }
    }
  }
}
