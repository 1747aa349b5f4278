import { el, sparkline } from "../../draw/dom.js";
import { compact, span, whole } from "../../draw/format.js";

/** Readings kept for the lines in the tiles; at one each 10 s, ten minutes. */
const KEPT = 60;

/** The daemon in figures: re-read with `status.report`, with a line of what the page has seen since it is open. */
export class Tiles {
  #root;
  #history = { hooks: [], p99: [], freed: [] };
  #freedBefore = null;

  constructor(root) {
    this.#root = root;
  }

  draw(report) {
    const { hooks } = report;
    const freed = report.tokens_freed_total;
    this.#keep("hooks", hooks.per_second);
    if (hooks.p99_ms !== null) this.#keep("p99", hooks.p99_ms);
    if (this.#freedBefore !== null) this.#keep("freed", Math.max(0, freed - this.#freedBefore));
    this.#freedBefore = freed;
    this.#root.replaceChildren(
      tile("Hooks", rate(hooks.per_second), "/s", this.#history.hooks),
      tile(
        "Hook p99",
        hooks.p99_ms === null ? "–" : duration(hooks.p99_ms),
        hooks.p99_ms === null ? "" : "ms",
        this.#history.p99,
      ),
      tile("Hook errors", whole(hooks.errors), `of ${compact(hooks.total)}`),
      tile("Tokens freed", compact(freed), "tok", this.#history.freed),
      tile("Overflows", whole(report.overflows_total), ""),
      tile("Up for", span(report.uptime_seconds * 1000), ""),
    );
  }

  #keep(name, value) {
    this.#history[name] = [...this.#history[name], value].slice(-KEPT);
  }
}

function tile(name, figure, unit, values = []) {
  const value = el("b.num", {}, figure, unit === "" ? null : el("span.unit", {}, `\u202f${unit}`));
  const line = values.length < 3 ? null : sparkline(values, { width: 72, height: 20 });
  return el("div.tile", {}, el("dt", {}, name), el("dd", {}, value, line));
}

function rate(perSecond) {
  return perSecond >= 10 || perSecond === 0 ? whole(perSecond) : perSecond.toFixed(1);
}

function duration(ms) {
  return ms >= 100 ? whole(ms) : ms.toFixed(1);
}
