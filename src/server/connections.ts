import type { Socket } from "node:net";

const NO_ROOM = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

/**
 * The open connections, at most `limit`. When a further one comes, the one that has waited longest without a request
 * in hand makes room: first one that never completed a request (a slow or silent client), then an idle one that did.
 * When all are busy the newcomer gets a 503. So slow clients cannot keep healthy ones out.
 */
export class Connections {
  readonly #limit: number;
  readonly #open = new Set<Socket>();
  /** Never completed a request; oldest first. */
  readonly #strangers = new Set<Socket>();
  /** Between requests; the longest idle first. */
  readonly #resting = new Set<Socket>();
  #shed = 0;
  #draining = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Connections that were closed or refused for want of room. */
  get shed(): number {
    return this.#shed;
  }

  add(socket: Socket): void {
    if (this.#open.size >= this.#limit && !this.#makeRoom()) {
      this.#shed++;
      socket.on("error", () => socket.destroy());
      socket.end(NO_ROOM, () => socket.destroy());
      return;
    }
    this.#open.add(socket);
    this.#strangers.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#strangers.delete(socket);
      this.#resting.delete(socket);
    });
  }

  /** A whole request of this connection is in hand. */
  busy(socket: Socket): void {
    this.#strangers.delete(socket);
    this.#resting.delete(socket);
  }

  /** The request is answered. */
  idle(socket: Socket): void {
    if (!this.#open.has(socket) || this.#strangers.has(socket)) return;
    if (this.#draining) socket.destroySoon();
    else this.#resting.add(socket);
  }

  /** From now on a connection ends with the request it has in hand; those without one end at once. */
  drain(): void {
    this.#draining = true;
    for (const socket of this.#resting) socket.destroySoon();
    for (const socket of this.#strangers) if (socket.bytesRead === 0) socket.destroySoon();
  }

  destroyAll(): void {
    for (const socket of this.#open) socket.destroy();
  }

  #makeRoom(): boolean {
    const [oldest] = this.#strangers.size > 0 ? this.#strangers : this.#resting;
    if (!oldest) return false;
    this.#shed++;
    // "close" comes later: the place is free from now on.
    this.#open.delete(oldest);
    this.#strangers.delete(oldest);
    this.#resting.delete(oldest);
    oldest.destroy();
    return true;
  }
}
