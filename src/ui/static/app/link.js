import { setText } from "../draw/dom.js";
import { clockTime, span, whole } from "../draw/format.js";

/** Seconds over which the rate of events is taken. */
const RATE_WINDOW_S = 10;

/** The state of the connection: the word in the bar, the beat when events arrive, and the banner when they do not. */
export class Link {
  #beat = document.querySelector("#link .beat");
  #word = document.querySelector("#link b");
  #figure = document.querySelector("#link .num");
  #banner = document.getElementById("banner");
  #arrived = [];
  #even = false;
  #down = null;

  constructor(onTryNow) {
    this.#banner.querySelector("button").addEventListener("click", onTryNow);
  }

  /** Why nothing can be done now, in words; null while there is a connection. */
  get obstacle() {
    if (this.#down === null) return null;
    return "Not now: the connection to the daemon is lost, and what you see is from before.";
  }

  arrived(events) {
    this.#arrived.push({ at: Date.now(), events });
    // Two animations that look alike: going from one to the other starts it anew without a layout in between.
    this.#even = !this.#even;
    this.#beat.classList.toggle("on", this.#even);
    this.#beat.classList.toggle("again", !this.#even);
  }

  up() {
    this.#down = null;
    document.body.dataset.state = "live";
    this.draw(0);
  }

  down(retryAt) {
    this.#down = { since: this.#down?.since ?? Date.now(), retryAt };
    document.body.dataset.state = "offline";
  }

  /** Called once a second. */
  draw(cursor) {
    const down = this.#down;
    const now = Date.now();
    document.getElementById("link").classList.toggle("off", down !== null);
    this.#banner.hidden = down === null;
    if (down === null) {
      this.#arrived = this.#arrived.filter(({ at }) => now - at < RATE_WINDOW_S * 1000);
      const rate = this.#arrived.reduce((sum, { events }) => sum + events, 0) / RATE_WINDOW_S;
      setText(this.#word, "Live");
      setText(this.#figure, `${rate > 0 && rate < 10 ? rate.toFixed(1) : whole(rate)} events/s`);
      return;
    }
    setText(this.#word, "Offline");
    setText(this.#figure, span(now - down.since));
    const wait = Math.max(0, Math.ceil((down.retryAt - now) / 1000));
    const next = wait === 0 ? "Trying again now" : `Trying again in ${wait}\u202fs`;
    setText(
      this.#banner.firstElementChild,
      `Connection lost ${span(now - down.since)} ago. What you see is as of ${clockTime(down.since)}. ` +
        `${next}; the stream resumes behind event ${whole(cursor)}.`,
    );
  }
}
