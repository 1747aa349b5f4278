import { describeEvent } from "../../app/event-words.js";
import { el, icon, setText } from "../../draw/dom.js";
import { clockTime, dateTime, zoneName } from "../../draw/format.js";
import { visible } from "../../draw/names.js";
import { addressOfEvent, KINDS, kindOf } from "./event-kinds.js";

/** Lines shown, and events kept for the filters to choose from. */
const SHOWN = 120;
const KEPT = 600;
/** Lines that come at once and are tinted: of more than that none is news. */
const TINTED = 6;
/** Time between two showings, ms: nobody reads faster, and each moves all lines. */
const SHOW_EVERY_MS = 250;
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
  #drawnAt = Number.NEGATIVE_INFINITY;
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

  /** What comes too soon after the last is shown with the next painting, a second later at the latest. */
  draw() {
    const isHeld = this.#hovered || this.#list.contains(document.activeElement);
    const waiting = this.#waiting.length;
    if (this.#paused || isHeld) {
      const held = this.#paused ? "paused" : "held";
      setText(this.#hint, waiting === 0 ? held : `${waiting === SHOWN ? `over ${SHOWN}` : waiting} waiting`);
      return;
    }
    setText(this.#hint, `as committed, ${zoneName()} time`);
    const now = performance.now();
    if (waiting === 0 || now - this.#drawnAt < SHOW_EVERY_MS) return;
    this.#drawnAt = now;
    this.#list.prepend(...this.#lines(this.#waiting.splice(0)));
    while (this.#list.childElementCount > SHOWN) this.#list.lastChild.remove();
  }

  #fits({ event, kind }) {
    const { kind: wanted, words } = this.#filter;
    if (wanted !== "" && kind !== wanted) return false;
    return words === "" || (event.subject ?? "").toLowerCase().includes(words);
  }

  #lines(entries) {
    const isCalm = !this.#busy(entries.length);
    const lines = entries.map((entry) => line(entry, this.#href, isCalm && entry.isFresh)).reverse();
    // Shown again after another choice, it is no news.
    for (const entry of entries) entry.isFresh = false;
    return lines;
  }

  /** Whether more lines than are tinted come within the time of a tint, these `coming` among them. */
  #busy(coming) {
    const now = performance.now();
    this.#shownAt.push(...Array.from({ length: Math.min(coming, TINTED + 1) }, () => now));
    this.#shownAt = this.#shownAt.slice(-TINTED - 1);
    return this.#shownAt.length > TINTED && now - this.#shownAt[0] < 1_200;
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
  const at = Date.parse(event.time);
  const time = el("time.num", { datetime: event.time }, clockTime(at));
  const name = visible(event.subject ?? "daemon");
  const title = `${dateTime(at)}\n${name}: ${words}`.slice(0, LONGEST);
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
