import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How a receiver behaves on one request. `lost`: it takes the notice, and the answer never arrives. */
export type ReceiverFault = "ok" | "hang" | "500" | "400" | "429" | "reset" | "redirect" | "slow" | "lost";

export interface ReceivedNotice {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of several forms.
  readonly body: any;
  readonly fault: ReceiverFault;
}

const SLOW_MS = 60;

/** A webhook on the loopback that misbehaves as it is told, request by request. Ends with its scope. */
export class AlertReceiver {
  readonly received: ReceivedNotice[] = [];
  readonly #server: Server;
  readonly #watchers = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(faultOf: (body: ReceivedNotice["body"], index: number) => ReceiverFault = () => "ok") {
    const server = createServer((request, response) => void receiver.#take(request, response, faultOf));
    const receiver: AlertReceiver = new AlertReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  /** What was taken, as the receiver sees it: a fault before that has taken nothing. */
  get taken(): ReceivedNotice[] {
    return this.received.filter(({ fault }) => ["ok", "slow", "lost", "400"].includes(fault));
  }

  /** Resolves when what has come so far is enough. */
  async until(enough: () => boolean, ms = 60_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!enough()) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => reject(new Error(`only ${this.received.length} requests within ${ms} ms`)), ms);
      this.#watchers.add(look);
      look();
    });
  }

  async #take(request: IncomingMessage, response: ServerResponse, faultOf: Parameters<typeof AlertReceiver.start>[0]) {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const text = Buffer.concat(chunks).toString();
    const body = JSON.parse(text);
    const fault = faultOf?.(body, this.received.length) ?? "ok";
    this.received.push({ path: request.url ?? "", headers: request.headers, text, body, fault });
    answer(fault, response);
    for (const look of [...this.#watchers]) look();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

function answer(fault: ReceiverFault, response: ServerResponse): void {
  switch (fault) {
    case "hang":
      return;
    case "reset":
    case "lost":
      response.socket?.resetAndDestroy();
      return;
    case "slow":
      setTimeout(() => response.writeHead(202).end("{}"), SLOW_MS).unref();
      return;
    case "redirect":
      response.writeHead(302, { location: "http://169.254.169.254/latest/" }).end();
      return;
    case "429":
      response.writeHead(429, { "retry-after": "0.05" }).end();
      return;
    case "ok":
      response.writeHead(200).end("ok");
      return;
    default:
      response.writeHead(Number(fault)).end("no");
  }
}
