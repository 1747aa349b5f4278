import type { CoreEvent, WindowCause } from "../model/events.ts";

/** A window of the session, as a chapter of its course. */
export interface TrendWindow {
  readonly number: number;
  /** The turn in which it was opened; 0: before the first. Where its opening was not read, the first turn that was. */
  readonly from_turn: number;
  /** The turn in which it was closed; null: it is open. */
  readonly to_turn: number | null;
  /** Why it was closed; null: it is open. */
  readonly reason: string | null;
  /** Why it was opened; null: its opening was not read. */
  readonly cause: WindowCause | null;
  /** Its size as last told, in tokens. */
  readonly max_tokens: number;
}

type Open = { -readonly [Key in keyof TrendWindow]: TrendWindow[Key] };

/** Follows the windows of a session through its events, which need not begin with the first. */
export class WindowCourse {
  readonly #windows: Open[] = [];
  #turn = 0;

  note({ type, data }: CoreEvent): void {
    if (type === "turn.started") this.#turn = data.turn;
    else if (type === "pressure.measured") this.#running().max_tokens = data.max_tokens;
    else if (type === "window.resized") this.#running().max_tokens = data.max_tokens;
    else if (type === "window.closed") {
      Object.assign(this.#running(), { number: data.number, to_turn: this.#turn, reason: data.reason });
    } else if (type === "window.opened") {
      const { number, cause, max_tokens } = data;
      this.#windows.push({ number, from_turn: this.#turn, to_turn: null, reason: null, cause, max_tokens });
    }
  }

  /** Place of the running window among all of them; what is told before any was opened belongs to the first. */
  get index(): number {
    return Math.max(0, this.#windows.length - 1);
  }

  /** `current`: number of the session's window now, for what nothing that was read named. */
  end(current: number): readonly TrendWindow[] {
    return this.#windows.map((window) => (window.number === 0 ? { ...window, number: current } : window));
  }

  /** The window that the events are about; one whose opening was not read has no number until it is closed. */
  #running(): Open {
    const last = this.#windows.at(-1);
    if (last) return last;
    const unread = { number: 0, from_turn: this.#turn, to_turn: null, reason: null, cause: null, max_tokens: 0 };
    this.#windows.push(unread);
    return unread;
  }
}
