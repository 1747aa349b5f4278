import { shortType } from "../../../app/event-words.js";
import { History } from "./history.js";
import { HISTORY, PARTS } from "./parts.js";
import { Trend } from "./trend.js";

const AGAIN_MS = 4_000;

/**
 * All that the screen knows of one session: read part by part, moved at once by the events that tell figures, and read
 * again, not more often than each part allows, behind every other. `onChange(name)` after each; `onGone(error)` when
 * there is no such session for this reader.
 */
export class SessionReader {
  /** The answers by the name of the part; a part that was not read yet is missing. */
  known = {};
  /** The CallError of a part that could not be read last. */
  faults = new Map();
  trend = new Trend();
  history;
  /** `data` of the newest turn.ended: the provider's own figures. */
  usage = null;
  #call;
  #on;
  #timers = new Map();
  #readAt = new Map();
  #running = new Set();
  #closed = false;

  constructor(app, session, on) {
    this.#call = (method, params = {}) => app.call(method, { session_id: session, ...params });
    this.#on = on;
    this.history = new History(this.#call);
    this.resync();
  }

  close() {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  resync() {
    for (const name of [...Object.keys(PARTS), "history"]) this.ask(name);
  }

  /** An event of this session. */
  apply(event) {
    const type = shortType(event.type);
    this.#move(type, event.data, Date.parse(event.time));
    for (const [name, part] of Object.entries(PARTS)) if (part.after(type)) this.ask(name);
    this.ask("history");
  }

  /** Asks for a part to be read again, soon: what is asked meanwhile is one reading. */
  ask(name, wait = null) {
    if (this.#closed || (this.#timers.has(name) && wait !== 0)) return;
    clearTimeout(this.#timers.get(name));
    const every = name === "history" ? HISTORY.every : PARTS[name].every;
    const due = (this.#readAt.get(name) ?? Number.NEGATIVE_INFINITY) + every - performance.now();
    const timer = setTimeout(() => this.#read(name), wait ?? Math.max(0, due));
    this.#timers.set(name, timer);
  }

  /** A page of earlier decisions. */
  async moreHistory() {
    await this.history.more();
    this.#on.change("history");
  }

  async #read(name) {
    this.#timers.delete(name);
    if (this.#running.has(name)) return this.ask(name, 100);
    this.#running.add(name);
    this.#readAt.set(name, performance.now());
    try {
      if (name === "history") await this.history.refresh();
      else this.#take(name, await PARTS[name].read(this.#call));
      this.faults.delete(name);
    } catch (error) {
      this.#failed(name, error);
    } finally {
      this.#running.delete(name);
    }
    if (!this.#closed) this.#on.change(name);
  }

  #failed(name, error) {
    if (this.#closed) return;
    // An id that no session can have is refused as a parameter: the summary takes no other.
    const isGone = error.reason === "session_not_found" || error.reason === "invalid_params";
    if (name === "summary" && isGone) {
      this.#on.gone(error);
      return;
    }
    this.faults.set(name, error);
    // What the daemon refuses it will refuse again: it is read after the next event, or when the reader asks.
    if (error.retryable) this.ask(name, AGAIN_MS);
  }

  #take(name, answer) {
    this.known[name] = answer;
    if (name === "trend") this.trend.seed(answer);
  }

  /** What an event tells outright is shown before anything is read. */
  #move(type, data, at) {
    const { summary } = this.known;
    if (type === "turn.ended") this.usage = data;
    if (summary === undefined) return;
    if (type === "pressure.measured") {
      for (const key of MEASURED) if (data[key] !== undefined) summary[key] = data[key];
      if (data.components !== undefined) summary.component_tokens = data.components;
      if (data.moment !== "within") this.trend.add(data, summary.window_number);
    } else if (type === "zone.changed") summary.zone = data.to;
    else if (type === "turn.started") summary.turn = data.turn;
    else if (type === "session.closed") Object.assign(summary, { closed: true, closed_at: at });
    else return;
    this.#on.change("summary");
  }
}

const MEASURED = [
  "tokens",
  "max_tokens",
  "utilization",
  "zone",
  "velocity_tokens_per_turn",
  "turns_until_red",
  "turns_until_red_p90",
  "source",
  "turn",
];
