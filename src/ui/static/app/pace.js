/** Events in a second from which on the page draws less often than the display. */
const BUSY_EVENTS_PER_S = 200;
const BUSY_FRAME_MS = 100;

/** When the page is drawn: once in the next frame however often it is asked for, and less often while it is busy or hidden. */
export class Pace {
  #draw;
  #waiting = false;
  #drawnAt = 0;
  /** Events of the second that runs and of the one before it. */
  #rate = [0, 0];

  /** `draw()` draws everything once. */
  constructor(draw) {
    this.#draw = draw;
  }

  /** An event arrived. */
  count() {
    this.#rate[0]++;
  }

  /** To be called once a second. */
  tick() {
    this.#rate = [0, this.#rate[0]];
  }

  request() {
    if (this.#waiting) return;
    this.#waiting = true;
    const draw = () => {
      this.#waiting = false;
      this.#drawnAt = performance.now();
      this.#draw();
    };
    const isBusy = document.hidden || Math.max(...this.#rate) > BUSY_EVENTS_PER_S;
    const wait = isBusy ? this.#drawnAt + BUSY_FRAME_MS - performance.now() : 0;
    if (wait > 0) setTimeout(draw, wait);
    else requestAnimationFrame(draw);
  }
}
