import { describeEvent } from "../../app/event-words.js";
import { el, icon } from "../../draw/dom.js";
import { clockTime } from "../../draw/format.js";

/** Lines kept. */
const KEPT = 200;

/** The newest events, newest first. Paused, it stands still and says how many wait. */
export class EventTail {
  #list;
  #pause;
  #hint;
  #waiting = [];
  #paused = false;

  constructor(list, pause, hint) {
    this.#list = list;
    this.#pause = pause;
    this.#hint = hint;
    list.setAttribute("aria-label", "Events, newest first");
    // It scrolls, so the keyboard must reach it.
    list.tabIndex = 0;
    pause.addEventListener("click", () => this.#toggle());
    this.#drawPause();
  }

  /** Takes an event; `draw` shows it, tinted for a moment when it is fresh. */
  add(event, isFresh) {
    const described = describeEvent(event);
    if (described === null) return;
    this.#waiting.push({ event, isFresh, ...described });
    if (this.#waiting.length > KEPT) this.#waiting.shift();
  }

  draw() {
    if (this.#waiting.length === 0) return;
    if (this.#paused) {
      const waiting = this.#waiting.length;
      this.#hint.textContent = `${waiting === KEPT ? "over 200" : waiting} waiting`;
      return;
    }
    const lines = this.#waiting.splice(0).map(line).reverse();
    this.#list.prepend(...lines);
    while (this.#list.childElementCount > KEPT) this.#list.lastChild.remove();
  }

  #toggle() {
    this.#paused = !this.#paused;
    this.#hint.textContent = this.#paused ? "paused" : "as they are committed";
    this.#drawPause();
    this.draw();
  }

  #drawPause() {
    this.#pause.setAttribute("aria-pressed", String(this.#paused));
    this.#pause.replaceChildren(icon(this.#paused ? "play" : "pause"));
  }
}

function line({ event, isFresh, shape, zone, words }) {
  const mark = zone === null ? icon(shape) : icon(`zone-${zone}`, `shape in-${zone}`);
  const time = el("time.num", { datetime: event.time }, clockTime(Date.parse(event.time)));
  const name = event.subject ?? "daemon";
  return el(
    isFresh ? "li.fresh" : "li",
    { title: `${name}: ${words}` },
    time,
    mark,
    el("span.mono", {}, name),
    el("span", {}, words),
  );
}
