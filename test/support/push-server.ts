import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** What an account may do: a WebSocket push takes the role Admin, a POST the permission live:push. */
export type Account = "admin" | "pusher" | "viewer";

export interface Push {
  readonly transport: "websocket" | "http";
  readonly lines: readonly string[];
}

export const ADMIN_TOKEN = "glsa_admin";

/**
 * Grafana as far as `/api/live/push/<stream>` goes, by its published behaviour: 401 for credentials that it does not know
 * (bearer token or basic auth), 403 for an account that may not, 404 elsewhere; a WebSocket message that cannot be
 * converted is only logged, a POST answers 500; nothing is ever sent but pongs. Stops and starts again on the same port.
 */
export class PushServer implements AsyncDisposable {
  readonly pushes: Push[] = [];
  /** Authorization headers of all requests, upgrades included. */
  readonly credentials: (string | undefined)[] = [];
  readonly accounts = new Map<string, Account>([[`Bearer ${ADMIN_TOKEN}`, "admin"]]);
  /** Status of every answer to an upgrade or a POST; null: as the account says. */
  upgradeStatus: number | null = null;
  postStatus: number | null = null;
  /** Reads nothing any more, and answers nothing. */
  #hung = false;
  #sockets = new Set<Socket>();
  #http!: Server;
  #websockets!: WebSocketServer;
  #port = 0;
  readonly #watchers = new Set<() => void>();

  static async start(): Promise<PushServer> {
    const server = new PushServer();
    await server.listen();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  get lines(): readonly string[] {
    return this.pushes.flatMap(({ lines }) => lines);
  }

  async listen(): Promise<void> {
    this.#websockets = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
    this.#http = createServer((request, response) => this.#post(request, response));
    this.#http.on("upgrade", (request, socket, head) => this.#upgrade(request, socket, head));
    this.#http.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        this.#sockets.delete(socket);
        this.#tell();
      });
      if (this.#hung) socket.pause();
      this.#tell();
    });
    await new Promise<void>((resolve) => this.#http.listen(this.#port, "127.0.0.1", resolve));
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  /** As kill -9 does it: no goodbye. */
  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  /** Keeps its connections, and takes new ones, but neither reads nor answers. */
  hang(): void {
    this.#hung = true;
    for (const socket of this.#websockets.clients) socket.pause();
    for (const socket of this.#sockets) socket.pause();
  }

  /** Resolves when the question is answered with true: looked at after every push, request and disconnect. */
  until(question: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!question()) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #tell(): void {
    for (const look of [...this.#watchers]) look();
  }

  #statusOf(request: IncomingMessage, needs: readonly Account[]): number {
    this.credentials.push(request.headers.authorization);
    if (!/^\/api\/live\/push\/[\w-]+$/.test(request.url ?? "")) return 404;
    const account = this.accounts.get(request.headers.authorization ?? "");
    if (account === undefined) return 401;
    return needs.includes(account) ? 200 : 403;
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (this.#hung) return;
    const status = this.upgradeStatus ?? this.#statusOf(request, ["admin"]);
    this.#tell();
    if (status !== 200) {
      socket.end(`HTTP/1.1 ${status} Refused\r\nLocation: /login\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    this.#websockets.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      opened.on("error", () => {});
      opened.on("message", (body) => this.#take("websocket", String(body)));
    });
  }

  #post(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const asked = request.method === "POST" ? this.#statusOf(request, ["admin", "pusher"]) : 404;
      const status = this.postStatus ?? asked;
      if (status === 200) this.#take("http", Buffer.concat(chunks).toString("utf8"));
      else this.#tell();
      response.writeHead(status, { location: "/login" }).end();
    });
  }

  #take(transport: Push["transport"], body: string): void {
    this.pushes.push({ transport, lines: body.split("\n").filter((line) => line !== "") });
    this.#tell();
  }
}
