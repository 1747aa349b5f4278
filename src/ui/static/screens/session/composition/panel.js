import { el } from "../../../draw/dom.js";
import { rangeOf } from "../read/chosen-window.js";
import { forecastOf } from "../read/growth.js";
import { withNow } from "../read/trend.js";
import { Chapters } from "./chapters.js";
import { Composition } from "./composition.js";
import { EditLane } from "./edit-lane.js";
import { readout, spoken } from "./readout.js";
import { Trace } from "./trace.js";

/** The context over turns: chapters, chart, edits and a traced phrase, on one axis. */
export class CompositionPanel {
  #readout = el("p.readout.num");
  #chapters;
  #lane;
  #trace;
  #chart;
  node;
  #on;
  #range = null;
  #turns = [];
  #max = 0;
  #decisions = [];
  #axis = "";

  /** `on`: window(number), open(turn), cursor(turn | null), decision(decision), phrase(phrase); `link(decision)`. */
  constructor(app, call, on) {
    this.#on = on;
    this.#chapters = new Chapters(on.window);
    this.#lane = new EditLane(app.tip, { link: on.link, onOpen: on.decision });
    this.#trace = new Trace(call, on.phrase);
    this.#chart = new Composition({
      open: on.open,
      axis: (axis) => this.#lay(axis),
      cursor: (turn) => this.#point(turn),
      speak: (turn) => {
        const known = this.#known(turn);
        if (known !== null) app.say(spoken(known, this.#max));
      },
    });
    this.node = el(
      "section.panel.composition",
      { "aria-labelledby": "composition-title" },
      el(
        "header.panel-head",
        {},
        el("h2", { id: "composition-title" }, "Context over turns"),
        el("span.hint", {}, "tok"),
        this.#readout,
      ),
      el(
        "div.composition-body",
        {},
        this.#chapters.node,
        el("div.chart-frame", {}, this.#chart.node),
        this.#lane.node,
        this.#trace.node,
      ),
    );
  }

  /** { summary, trend, chosen, marked, decisions }. */
  show({ summary, trend, chosen, marked, decisions }) {
    this.#decisions = decisions;
    const range = rangeOf(trend.windows, trend.turns, chosen);
    const max = range.isCurrent ? summary.max_tokens : (range.max ?? summary.max_tokens);
    this.#range = range;
    this.#max = max;
    this.#turns = withNow(trend.turns, summary).filter(
      ({ turn, window }) => turn > 0 && (range.key === 0 || window === range.key),
    );
    const { thresholds, output_reserve: reserve = 0, zone } = summary;
    this.#chapters.show({
      windows: trend.windows,
      turns: trend.turns,
      chosen: range.key,
      zone,
      thresholds,
      max: summary.max_tokens,
    });
    const forecast = range.isCurrent ? forecastOf(summary, trend) : null;
    this.#chart.show({ turns: this.#turns, windows: trend.windows, range, max, thresholds, reserve, forecast, marked });
    this.#read(this.#chart.cursor ?? marked);
  }

  trace(phrase, turn) {
    this.#trace.show(phrase, turn);
  }

  /** Moves the cursor to the next turn with a decision; `step` 1 or −1. */
  toDecision(step) {
    const turns = this.#turns.map(({ turn }) => turn);
    if (turns.length === 0) return;
    const here = this.#chart.cursor ?? turns.at(-1) + (step > 0 ? 0 : 1);
    const edited = [...new Set(this.#decisions.map(({ turn }) => turn))]
      .filter((turn) => turns.includes(turn))
      .sort((a, b) => a - b);
    const next = step > 0 ? edited.find((turn) => turn > here) : edited.findLast((turn) => turn < here);
    if (next !== undefined) this.#chart.step(next);
  }

  close() {
    this.#chart.close();
  }

  #lay(axis) {
    this.#lane.show(
      this.#decisions.filter(({ window }) => this.#range.key === 0 || window === this.#range.key),
      axis,
    );
    const key = `${axis.from} ${axis.to} ${axis.step} ${axis.left}`;
    if (key === this.#axis) return;
    this.#axis = key;
    this.#trace.lay(axis);
  }

  #point(turn) {
    this.#read(turn);
    this.#on.cursor(turn === null ? null : this.#known(turn));
  }

  #known(turn) {
    return this.#turns.findLast((known) => known.turn <= turn) ?? null;
  }

  #read(turn) {
    const known = (turn === null ? this.#turns.at(-1) : this.#known(turn)) ?? null;
    this.#readout.replaceChildren(...readout(known, this.#max));
  }
}
