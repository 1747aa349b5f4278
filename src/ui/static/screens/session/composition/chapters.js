import { el, icon, svg } from "../../../draw/dom.js";
import { count, whole, zoneWord } from "../../../draw/format.js";
import { columnsOf } from "../read/trend.js";
import { span, windowEnd } from "../read/words.js";

/** Points of one silhouette. */
const POINTS = 120;
const HEIGHT = 32;
/** Between the chosen window and the edge of the strip, px. */
const BESIDE = 4;

/** The windows as silhouettes, with how each ended; one is chosen, or all. */
export class Chapters {
  node = el("div.chapters", { role: "group", "aria-label": "Windows of the session" });
  #onChoose;
  #shown = "";
  /** The one that was last brought into view: where the reader scrolls after that is left alone. */
  #broughtIn = null;

  /** `onChoose(number)`; 0: all of them. */
  constructor(onChoose) {
    this.#onChoose = onChoose;
  }

  show({ windows, turns, chosen, zone, thresholds, max }) {
    const last = turns.at(-1);
    const key = JSON.stringify([windows, chosen, zone, last?.turn, last?.tokens, turns.length]);
    if (key === this.#shown) return;
    this.#shown = key;
    const focused = document.activeElement?.dataset?.window;
    const { scrollLeft } = this.node;
    const chapters = windows.map((window) => {
      const own = turns.filter((turn) => turn.window === window.number);
      const isLast = window === windows.at(-1);
      const end = isLast ? zoneTag(zone) : el("span.end", {}, windowEnd(window.reason));
      const from = own[0]?.turn ?? window.from_turn;
      const to = own.at(-1)?.turn ?? window.to_turn ?? from;
      const name = `Window ${window.number}`;
      const title = el(
        "span.chapter-title",
        {},
        el("b", {}, name),
        el("span.num", {}, el("span.unseen", {}, "turns "), from === to ? whole(from) : `${from}–${to}`),
        end,
      );
      const about = `${name}, ${span(from, to)}, ${isLast ? zoneWord(zone) : windowEnd(window.reason)}`;
      return this.#chapter({ number: window.number, turns: own.length, about }, chosen, [
        title,
        silhouette(own, window.max_tokens ?? max, thresholds),
      ]);
    });
    const all = [el("b", {}, "All"), el("span.num", {}, count(last?.turn ?? 0, "turn"))];
    this.node.replaceChildren(...chapters, this.#chapter({ number: 0, turns: 1, about: null }, chosen, all));
    this.node.scrollLeft = scrollLeft;
    if (focused !== undefined)
      this.node.querySelector(`[data-window="${Number(focused)}"]`)?.focus({ preventScroll: true });
    this.#bringIn(chosen);
  }

  /** Scrolls the strip, and nothing else of the page, to the chosen window, clear of what stays at its end. */
  #bringIn(chosen) {
    if (chosen === this.#broughtIn || this.node.clientWidth === 0) return;
    this.#broughtIn = chosen;
    const button = this.node.querySelector(`[data-window="${Number(chosen)}"]`);
    if (button === null || chosen === 0) return;
    const strip = this.node.getBoundingClientRect();
    const { left, right } = button.getBoundingClientRect();
    const end = this.node.lastElementChild.getBoundingClientRect().left - BESIDE;
    if (right > end) this.node.scrollLeft += right - end;
    else if (left < strip.left) this.node.scrollLeft -= strip.left - left + BESIDE;
  }

  #chapter({ number, turns, about }, chosen, children) {
    const properties = {
      type: "button",
      title: about,
      "aria-pressed": String(number === chosen),
      "data-window": whole(number),
      vars: { "--turns": String(Math.max(1, turns)) },
      on: { click: () => this.#onChoose(number) },
    };
    return el(`button.chapter${number === 0 ? ".all" : ""}`, properties, ...children);
  }
}

function zoneTag(zone) {
  return el(`span.zone.in-${zone}`, {}, icon(`zone-${zone}`, "shape"), zoneWord(zone));
}

/** The window in small: its height is the window, the line is red. */
function silhouette(turns, max, { red }) {
  const columns = columnsOf(turns, POINTS);
  const top =
    Math.min(
      columns.reduce((most, { tokens }) => Math.max(most, tokens), max),
      max * 1.5,
    ) || 1;
  const y = (tokens) => (HEIGHT - (Math.min(tokens, top) / top) * (HEIGHT - 2)).toFixed(1);
  const x = (i) => ((i / Math.max(1, columns.length)) * 100).toFixed(2);
  let path = `M0 ${HEIGHT}`;
  for (const [i, { tokens }] of columns.entries()) path += `L${x(i)} ${y(tokens)}L${x(i + 1)} ${y(tokens)}`;
  const line = y(red * max);
  return svg(
    "svg",
    { class: "silhouette", viewBox: `0 0 100 ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("path", { d: `${path}L${columns.length === 0 ? 0 : 100} ${HEIGHT}Z` }),
    svg("line", { x1: 0, x2: 100, y1: line, y2: line }),
  );
}
