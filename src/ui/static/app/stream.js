import { ASKED_TYPES, shortType } from "./event-words.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
/** The stream says where it is every 20 s; twice missed, the connection is taken for dead. */
const SILENCE_MS = 50_000;
/** Close code for what trying again does not cure: the token was withdrawn. */
const REFUSED = 1008;

/**
 * The live stream, resumed after the last sequence for as long as the page is open. Handlers: `onEvent(event)`,
 * `onResync()`, `onUp()`, `onDown({ retryAt, refused })`.
 */
export class EventStream {
  #handlers;
  #token;
  #cursor;
  /** Where the stream must go on from without a gap; events before it are a courtesy. */
  #needed;
  #socket = null;
  #attempt = 0;
  #retry = null;
  #silence = null;
  #stopped = false;

  /** Begins up to `history` events before `since`, as far as the daemon still holds them. */
  constructor(handlers, token, since, history) {
    this.#handlers = handlers;
    this.#token = token;
    this.#needed = since;
    this.#cursor = Math.max(0, since - history);
    this.#connect();
  }

  get cursor() {
    return this.#cursor;
  }

  /** Connects at once instead of at the end of the wait. */
  tryNow() {
    if (this.#retry === null) return;
    clearTimeout(this.#retry);
    this.#connect();
  }

  stop() {
    this.#stopped = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#silence);
    this.#socket?.close();
  }

  #connect() {
    this.#retry = null;
    const address = new URL("events", document.baseURI);
    address.protocol = address.protocol.replace("http", "ws");
    address.searchParams.set("types", ASKED_TYPES.join(","));
    address.searchParams.set("since", String(this.#cursor));
    // A page cannot set headers on a WebSocket, and an address is logged: the token goes as a subprotocol.
    const protocols = this.#token === null ? [] : ["contextd.v1", `contextd.bearer.${this.#token}`];
    const socket = new WebSocket(address, protocols);
    this.#socket = socket;
    // A socket that was left for another one has nothing more to say.
    const ifCurrent = (then) => (event) => socket === this.#socket && then(event);
    const up = () => {
      this.#heard();
      this.#handlers.onUp();
    };
    socket.addEventListener("open", ifCurrent(up));
    socket.addEventListener(
      "message",
      ifCurrent(({ data }) => this.#take(JSON.parse(data))),
    );
    socket.addEventListener(
      "close",
      ifCurrent(({ code }) => this.#lost(code)),
    );
  }

  #take(event) {
    this.#heard();
    this.#attempt = 0;
    const type = shortType(event.type);
    if (type === "stream.resync") {
      this.#resync(event);
      return;
    }
    if (event.sequence <= this.#cursor) return;
    this.#cursor = event.sequence;
    if (type !== "stream.position") this.#handlers.onEvent(event);
  }

  #resync({ sequence, data }) {
    const { oldest_sequence: oldest, reason } = data;
    if (reason === "too_old" && oldest <= this.#needed && this.#cursor < this.#needed) {
      // Only the courtesy was too long: begin where the daemon's memory does.
      this.#cursor = oldest;
      this.#reconnect();
      return;
    }
    this.#cursor = sequence;
    this.#needed = sequence;
    this.#handlers.onResync();
  }

  #reconnect() {
    const before = this.#socket;
    this.#socket = null;
    before.close();
    this.#connect();
  }

  #heard() {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#socket.close(), SILENCE_MS);
  }

  #lost(code) {
    clearTimeout(this.#silence);
    if (this.#stopped) return;
    const whole = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempt++);
    const wait = whole * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => this.#connect(), wait);
    this.#handlers.onDown({ retryAt: Date.now() + wait, refused: code === REFUSED });
  }
}
