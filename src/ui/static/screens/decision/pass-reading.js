/** Time in which events that ask for the explanation anew are gathered, ms. */
const GATHER_MS = 1_200;
/** Events of the session after which a pass is told differently. */
const TELLING = new Set([
  "regret.detected",
  "fidelity.evaluated",
  "turn.ended",
  "history.compacted",
  "recall.served",
  "provider.edited",
]);

/**
 * The explanation of one pass, read when the screen opens and again, once for many events, while its session goes on.
 * `onRead(explanation)`, `onFailed(error)` with the first failure only: what was once read stays.
 */
export class PassReading {
  #app;
  #params;
  #listener;
  #timer = 0;
  #reading = false;
  #again = false;
  #closed = false;
  #last = "";

  constructor(app, { session, pass }, listener) {
    this.#app = app;
    this.#params = { session_id: session, pass_id: pass };
    this.#listener = listener;
  }

  get sessionId() {
    return this.#params.session_id;
  }

  async read() {
    if (this.#reading) {
      this.#again = true;
      return;
    }
    this.#reading = true;
    try {
      const explanation = await this.#app.call("pass.explain", this.#params);
      if (!this.#closed) this.#take(explanation);
    } catch (error) {
      if (!this.#closed) this.#listener.onFailed(error, this.#last !== "");
    } finally {
      this.#reading = false;
    }
    if (this.#again && !this.#closed) this.soon();
    this.#again = false;
  }

  /** Asks for one more reading after a while. */
  soon() {
    if (this.#timer !== 0 || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.read();
    }, GATHER_MS);
  }

  /** Whether the event concerns this pass; then it is read anew. */
  apply(type, session) {
    if (session === this.sessionId && TELLING.has(type)) this.soon();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #take(explanation) {
    const now = JSON.stringify(explanation);
    if (now === this.#last) return;
    this.#last = now;
    this.#listener.onRead(explanation);
  }
}
