// A client that costs little beside the server it loads: raw keep-alive connections, one call in flight on each,
// bodies made beforehand. Tools that parse each answer are the bottleneck themselves from 100 KB on.
import { once } from "node:events";
import { connect } from "node:net";

const END_OF_HEAD = "\r\n\r\n";

/** One keep-alive connection. `send` takes the pieces of a body and answers {status, head} when it was answered. */
export class Connection {
  #socket;
  #host;
  #settle = null;
  /** Bytes of the answer's body still to come; null while its head is incomplete. */
  #left = null;
  #head = Buffer.alloc(0);
  #status = 0;
  #start = "";

  static async open(url) {
    const { hostname, port, host } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new Connection(socket, host);
  }

  constructor(socket, host) {
    this.#socket = socket;
    this.#host = host;
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("error", (error) => this.#settle?.reject(error));
    socket.on("close", () => this.#settle?.reject(new Error("the server closed the connection")));
  }

  send(pieces) {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#socket.cork();
    this.#socket.write(
      `POST /rpc HTTP/1.1\r\nHost: ${this.#host}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
      "latin1",
    );
    for (const piece of pieces) this.#socket.write(piece);
    this.#socket.uncork();
    return new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  close() {
    this.#socket.removeAllListeners("close").destroy();
  }

  #receive(chunk) {
    let rest = chunk;
    if (this.#left === null) {
      this.#head = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
      const end = this.#head.indexOf(END_OF_HEAD);
      if (end === -1) return;
      const head = this.#head.toString("latin1", 0, end);
      rest = this.#head.subarray(end + END_OF_HEAD.length);
      this.#head = Buffer.alloc(0);
      this.#status = Number(head.slice(9, 12));
      this.#left = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      this.#start = rest.toString("latin1", 0, 64);
    }
    this.#left -= rest.length;
    if (this.#left > 0) return;
    this.#left = null;
    const settle = this.#settle;
    this.#settle = null;
    settle?.resolve({ status: this.#status, start: this.#start });
  }
}

/**
 * Calls over all connections for some seconds, each as soon as its last call was answered. `body(n)` makes the pieces
 * of connection n's next body. Throws when a call fails. Answers calls a second and their latencies.
 */
export async function load(url, { connections, seconds, body }) {
  const open = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)));
  const latencies = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  await Promise.all(
    open.map(async (connection, n) => {
      for (let sent = performance.now(); sent < until; sent = performance.now()) {
        const { status, start } = await connection.send(body(n));
        if (status !== 200 || start.includes('"error"')) throw new Error(`a call was answered ${status} ${start}`);
        latencies.push(performance.now() - sent);
      }
    }),
  );
  const took = (performance.now() - started) / 1000;
  for (const connection of open) connection.close();
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
  return { calls: latencies.length, per_second: latencies.length / took, p50_ms: at(0.5), p99_ms: at(0.99) };
}
