import { el, setText, sparkline } from "../../draw/dom.js";
import { compact, percent, span, whole } from "../../draw/format.js";

const THIN = "\u202f";
const SINCE = "Since the daemon's start";
const HOUR_S = 3_600;

/** What "the last hour" comes to: what a daemon has seen that is younger than that, null for one that is not. */
export function youngerThanAnHour({ uptime_seconds: uptime }) {
  return uptime < HOUR_S ? `since the start ${span(uptime * 1000)} ago` : null;
}

/** Overflows of the last hour, or since the daemon's start; null from a daemon that tells only all of them. */
export function recentOverflows({ overflows_last_hour: recent }) {
  return recent ?? null;
}

/**
 * The figures, one a tile: `read(report)` answers { figure, unit, title } or null when the daemon does not tell it, and
 * then there is no tile. `line` names its column of the last hour, gaps null; `hour`: the figure is of that hour, or of
 * the time since the daemon's start where that is less, which the tile says.
 */
const TILES = [
  { name: "Sessions", read: ({ sessions }) => ({ figure: whole(sessions.open), unit: "open" }) },
  {
    name: "Red",
    read: ({ sessions }) => given(sessions.by_zone?.red, (red) => ({ figure: whole(red), unit: "now" })),
  },
  {
    name: "Hooks",
    line: "hooks_per_second",
    read: ({ hooks }) => ({
      figure: rate(hooks.per_second),
      unit: "/s",
      title: "Calls that agents make each turn, over the last minute",
    }),
  },
  {
    name: "Hook p99",
    line: "p99_ms",
    read: ({ hooks }) =>
      hooks.p99_ms === null
        ? { figure: "–", unit: "", title: "No hook in the last minute" }
        : { figure: duration(hooks.p99_ms), unit: "ms", title: "Over the last minute" },
  },
  {
    name: "Hook errors",
    read: ({ hooks }) => ({ figure: whole(hooks.errors), unit: `of ${compact(hooks.total)}`, title: SINCE }),
  },
  {
    name: "Overflows",
    line: "overflows",
    hour: true,
    read: (report) =>
      given(recentOverflows(report), (recent) => ({
        figure: whole(recent),
        unit: "",
        title: `${whole(report.overflows_total)} since the daemon's start`,
      })),
  },
  {
    name: "Tokens freed",
    line: "tokens_freed",
    hour: true,
    read: ({ history, tokens_freed_total: total }) =>
      given(history?.tokens_freed, (freed) => ({
        figure: compact(freed.reduce((sum, n) => sum + n, 0)),
        unit: "tok",
        title: `${whole(total)} tok since the daemon's start`,
      })),
  },
  {
    name: "Cost saved",
    line: "cost_ratio",
    title: "cost against no management",
    read: ({ cost_saved: saved }) => given(saved, costSaved),
  },
  {
    name: "Needed again",
    line: "needed_again",
    read: ({ regret }) => given(regret, neededAgain),
  },
  {
    name: "Count error",
    line: "count_error",
    read: ({ estimator_error: error }) =>
      given(error, (share) => ({
        figure: (share < 0 ? "−" : "+") + percent(Math.abs(share)).slice(0, -1),
        unit: "%",
        title: "Estimated against reported tokens, before calibration",
      })),
  },
];

/** The daemon in figures, as `status.report` tells them; sessions and red ones follow the stream. */
export class Tiles {
  #root;
  #counts = new Map();

  constructor(root) {
    this.#root = root;
  }

  draw(report) {
    const room = this.#root.clientWidth >= 1700 ? 64 : this.#root.clientWidth >= 1200 ? 36 : 64;
    const tiles = TILES.flatMap(
      (tile) => given(tile.read(report), (told) => this.#tile(tile, told, report, room)) ?? [],
    );
    this.#root.style.setProperty("--tiles", String(tiles.length));
    this.#root.replaceChildren(...tiles);
  }

  /** What the stream moves: between two readings of the figures it is newer. */
  count({ total, red }) {
    for (const [name, n] of [
      ["Sessions", total],
      ["Red", red],
    ]) {
      const figure = this.#counts.get(name);
      if (figure !== undefined) setText(figure, whole(n));
    }
    this.#counts.get("Red")?.parentNode.classList.toggle("hot", red > 0);
  }

  #tile({ name, line, hour = false }, { figure, unit, title }, report, room) {
    const text = el("span", {}, figure);
    if (name === "Sessions" || name === "Red") this.#counts.set(name, text);
    const value = el("b.num.in-red", {}, text, unit === "" ? null : el("span.unit", {}, `${THIN}${unit}`));
    const values = sinceStart(report.history?.[line] ?? [], report).filter((n) => n !== null);
    const isSigned = line === "count_error";
    const least = isSigned && values.length > 0 ? Math.min(0, ...values) : 0;
    const trend = values.length < 3 ? null : sparkline(values, { width: room, height: 20, least });
    const since = hour ? youngerThanAnHour(report) : null;
    const label = hour && since === null ? `${name}, 1 h` : name;
    return el(
      "div.tile",
      title === undefined ? {} : { title },
      el("dt", {}, label),
      el("dd", {}, value, trend),
      since === null ? null : el("dd.since.num", {}, since),
    );
  }
}

/** A column of the last hour without the minutes before the daemon's start. */
function sinceStart(column, { uptime_seconds: uptime }) {
  return column.slice(-(Math.ceil(uptime / 60) + 1));
}

function costSaved({ tokens, share }) {
  const title = `${whole(tokens)} tok of fresh input saved by edits, less what they cost; since the daemon's start`;
  if (share === null || share === undefined) return { figure: signedTokens(tokens), unit: "tok", title };
  const figure = percent(Math.abs(share)).slice(0, -1);
  return { figure: share < 0 ? `−${figure}` : figure, unit: "%", title };
}

function neededAgain({ evicted, needed_again: again }) {
  const title = `${whole(again)} of ${whole(evicted)} evicted blocks were needed again within ten turns`;
  return evicted === 0
    ? { figure: "–", unit: "", title: "Nothing was evicted yet" }
    : { figure: percent(again / evicted).slice(0, -1), unit: "%", title };
}

function given(value, then) {
  return value === null || value === undefined ? null : then(value);
}

function signedTokens(n) {
  return n < 0 ? `−${compact(-n)}` : compact(n);
}

function rate(perSecond) {
  return perSecond >= 10 || perSecond === 0 ? whole(perSecond) : perSecond.toFixed(1);
}

function duration(ms) {
  return ms >= 100 ? whole(ms) : ms.toFixed(1);
}
