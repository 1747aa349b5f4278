import type { EventSocket } from "../../../src/telemetry/event-stream/index.ts";

/** A socket whose network takes everything at once, or nothing until `drain`. */
export class FakeSocket implements EventSocket {
  readonly sent: Buffer[] = [];
  closedWith: { code: number; reason: string } | null = null;
  terminated = false;
  pings = 0;
  bufferedAmount = 0;
  paused = false;
  #waiting: { size: number; done: ((error?: Error | null) => void) | undefined }[] = [];
  readonly #listeners = new Map<string, (error: Error) => void>();

  send(data: Buffer, _options: { binary: boolean }, done?: (error?: Error | null) => void): void {
    this.sent.push(data);
    if (this.paused) {
      this.bufferedAmount += data.length;
      this.#waiting.push({ size: data.length, done });
    } else if (done !== undefined) setImmediate(done);
  }

  drain(): void {
    for (const { size, done } of this.#waiting.splice(0)) {
      this.bufferedAmount -= size;
      done?.();
    }
  }

  ping(): void {
    this.pings++;
  }

  close(code: number, reason: string): void {
    this.closedWith = { code, reason };
  }

  terminate(): void {
    this.terminated = true;
  }

  on(event: string, listener: (error: Error) => void): void {
    this.#listeners.set(event, listener);
  }

  emit(event: "close" | "pong" | "error"): void {
    this.#listeners.get(event)?.(new Error("reset"));
  }

  get messages(): { type: string; sequence: number; data: Record<string, unknown>; [key: string]: unknown }[] {
    return this.sent.map((buffer) => JSON.parse(buffer.toString()));
  }

  get sequences(): number[] {
    return this.messages.filter((m) => !m.type.startsWith("contextd.stream.")).map((m) => m.sequence);
  }
}
