import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Passes calls on to a daemon and loses some of the replies: what was done was done, the caller does not know. */
export class LossyProxy implements AsyncDisposable {
  /** Where calls go; may change while the proxy runs. */
  target: string;
  lost = 0;
  readonly #share: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #server: Server;

  /** @param share of the replies that are lost, 0 to 1. */
  private constructor(target: string, share: number) {
    this.target = target;
    this.#share = share;
    this.#server = createServer((incoming, outgoing) => this.#pass(incoming, outgoing));
  }

  static async start(target: string, share: number): Promise<LossyProxy> {
    const proxy = new LossyProxy(target, share);
    await new Promise<void>((resolve) => proxy.#server.listen(0, "127.0.0.1", resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, headers } = incoming;
    const { host: _, connection: __, ...passed } = headers;
    const onward = request(
      this.target + incoming.url,
      { ...(method === undefined ? {} : { method }), headers: passed, agent: this.#agent },
      (reply) => {
        const chunks: Buffer[] = [];
        reply.on("data", (chunk: Buffer) => chunks.push(chunk));
        reply.on("error", () => incoming.socket.destroy());
        reply.on("end", () => {
          if (Math.random() < this.#share) {
            this.lost++;
            incoming.socket.destroy();
            return;
          }
          outgoing.writeHead(reply.statusCode ?? 502, {
            "content-type": reply.headers["content-type"] ?? "text/plain",
          });
          outgoing.end(Buffer.concat(chunks));
        });
      },
    );
    onward.on("error", () => incoming.socket.destroy());
    incoming.pipe(onward);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
