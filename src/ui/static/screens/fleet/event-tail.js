import { describeEvent } from "../../app/event-words.js";
import { el, icon, setText } from "../../draw/dom.js";
import { clockTime } from "../../draw/format.js";
import { addressOfEvent, KINDS, kindOf } from "./event-kinds.js";

/** Lines shown, and events kept for the filters to choose from. */
const SHOWN = 120;
const KEPT = 600;
/** Lines that come at once and are tinted: of more than that none is news. */
const TINTED = 6;
/** Characters of a name in a line's own tooltip. */
const LONGEST = 300;

/**
 * The newest events, newest first. Paused, it stands still and says how many wait; so it does while a hand is on it,
 * since its lines are links.
 */
export class EventTail {
  #list;
  #hint;
  #pause;
  #href;
  #kept = [];
  /** Fit the filters and are not shown yet. */
  #waiting = [];
  /** When lines were last shown, for `#busy`. */
  #shownAt = [];
  #paused = false;
  #hovered = false;
  #filter = { kind: "", words: "" };

  /** `parts`: { list, pause, hint }; `href` makes addresses. */
  constructor({ list, pause, hint }, href) {
    this.#list = list;
    this.#pause = pause;
    this.#hint = hint;
    this.#href = href;
    pause.addEventListener("click", () => this.#toggle());
    const hold = (held) => () => {
      this.#hovered = held;
      this.draw();
    };
    list.addEventListener("pointerenter", hold(true));
    list.addEventListener("pointerleave", hold(false));
    this.#drawPause();
  }

  /** Takes an event; `draw` shows it, tinted for a moment when it is fresh. */
  add(event, isFresh) {
    const described = describeEvent(event);
    if (described === null) return;
    const entry = { event, isFresh, kind: kindOf(event), ...described };
    this.#kept.push(entry);
    if (this.#kept.length > KEPT) this.#kept.shift();
    if (!this.#fits(entry)) return;
    this.#waiting.push(entry);
    if (this.#waiting.length > SHOWN) this.#waiting.shift();
  }

  /** Only of this kind, and of sessions that have these words in their id. */
  filter(kind, words) {
    this.#filter = { kind: Object.hasOwn(KINDS, kind) ? kind : "", words: words.trim().toLowerCase() };
    const fitting = this.#kept.filter((entry) => this.#fits(entry)).slice(-SHOWN);
    this.#waiting = [];
    this.#list.replaceChildren(...this.#lines(fitting));
    this.#list.dataset.empty = this.#kept.length === 0 ? "Nothing has happened yet." : "Nothing of this kind lately.";
  }

  draw() {
    const isHeld = this.#hovered || this.#list.contains(document.activeElement);
    const waiting = this.#waiting.length;
    if (this.#paused || isHeld) {
      const held = this.#paused ? "paused" : "held";
      setText(this.#hint, waiting === 0 ? held : `${waiting === SHOWN ? `over ${SHOWN}` : waiting} waiting`);
      return;
    }
    setText(this.#hint, "as they are committed");
    if (waiting === 0) return;
    this.#list.prepend(...this.#lines(this.#waiting.splice(0)));
    while (this.#list.childElementCount > SHOWN) this.#list.lastChild.remove();
  }

  #fits({ event, kind }) {
    const { kind: wanted, words } = this.#filter;
    if (wanted !== "" && kind !== wanted) return false;
    return words === "" || (event.subject ?? "").toLowerCase().includes(words);
  }

  #lines(entries) {
    const isCalm = entries.length <= TINTED && !this.#busy();
    const lines = entries.map((entry) => line(entry, this.#href, isCalm && entry.isFresh)).reverse();
    // Shown again after another choice, it is no news.
    for (const entry of entries) entry.isFresh = false;
    return lines;
  }

  /** Whether the line before so many was shown less than a tint ago. */
  #busy() {
    const now = performance.now();
    const isBusy = now - (this.#shownAt.at(-TINTED) ?? Number.NEGATIVE_INFINITY) < 1_200;
    this.#shownAt.push(now);
    if (this.#shownAt.length > TINTED) this.#shownAt.shift();
    return isBusy;
  }

  #toggle() {
    this.#paused = !this.#paused;
    this.#drawPause();
    this.draw();
  }

  #drawPause() {
    this.#pause.setAttribute("aria-pressed", String(this.#paused));
    this.#pause.replaceChildren(icon(this.#paused ? "play" : "pause"));
  }
}

function line({ event, shape, zone, words }, href, isTinted) {
  const mark = zone === null ? icon(shape) : icon(`zone-${zone}`, `shape in-${zone}`);
  const time = el("time.num", { datetime: event.time }, clockTime(Date.parse(event.time)));
  const name = event.subject ?? "daemon";
  const title = `${name}: ${words}`.slice(0, LONGEST);
  const link = el(
    "a",
    { href: addressOfEvent(event, href), title },
    time,
    mark,
    el("span.mono", {}, name),
    el("span", {}, words),
  );
  return el(isTinted ? "li.fresh" : "li", {}, link);
}
