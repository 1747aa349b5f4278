import { Canvas } from "../../../draw/canvas.js";
import { colour, faded } from "../../../draw/colours.js";
import { el } from "../../../draw/dom.js";
import { whole } from "../../../draw/format.js";
import { words } from "../marks.js";
import { columnsOf } from "../read/trend.js";
import { TurnAxis } from "./axis.js";
import { drawColumns, drawEdge, drawGhosts } from "./columns.js";
import { drawForecast } from "./forecast.js";
import { BOTTOM, drawGround, drawTurns, heights, TOP } from "./ground.js";

/** Turns beyond this are drawn as one column a pixel. */
const MOST_COLUMNS = 600;
/** The chart ends here, in windows: what was over it once, as before a window was found to be smaller, is cut off. */
const MOST_OVER = 1.5;

/**
 * The context turn by turn. One tab stop with a cursor of turns: `onCursor(turn | null)`, `onOpen(turn)` at Enter or a
 * click, `onAxis(axis)` when lanes below are to be laid out again.
 */
export class Composition {
  node = el("canvas.chart", {
    tabindex: "0",
    role: "img",
    "aria-label":
      "The context over turns, stacked by component. Arrows move from turn to turn, Enter opens its decision.",
  });
  axis = null;
  #view = null;
  #cursor = null;
  #on;
  #canvas = new Canvas(this.node, (context, width, height) => this.#draw(context, width, height));

  constructor(on) {
    this.#on = on;
    this.node.addEventListener("pointermove", (event) => this.#point(event.offsetX));
    this.node.addEventListener("pointerleave", () => this.#move(null));
    this.node.addEventListener("blur", () => this.#move(null));
    this.node.addEventListener("click", () => this.#cursor !== null && on.open(this.#cursor));
    this.node.addEventListener("keydown", (event) => this.#key(event));
  }

  /** { turns, windows, range, max, thresholds, reserve, forecast, marked }: `turns` are those of the range. */
  show(view) {
    this.#view = view;
    this.#canvas.redraw();
  }

  close() {
    this.#canvas.close();
  }

  /** Puts the cursor on a turn, from outside of the chart. */
  step(turn) {
    this.#move(turn);
    if (turn !== null) this.#on.speak(turn);
  }

  get cursor() {
    return this.#cursor;
  }

  #point(x) {
    if (this.axis === null || this.#view === null || this.#view.turns.length === 0) return;
    const isInside = x >= this.axis.left && x < this.axis.x(this.axis.to + 1);
    this.#move(isInside ? this.#known(this.axis.turnAt(x)) : null);
  }

  /** The turn that stands for this one: of a thinned history not every turn is known. */
  #known(turn) {
    return this.#view.turns.findLast((known) => known.turn <= turn)?.turn ?? this.#view.turns[0].turn;
  }

  #move(turn) {
    if (turn === this.#cursor) return;
    this.#cursor = turn;
    this.#on.cursor(turn);
    this.#canvas.redraw();
  }

  #key(event) {
    const turns = this.#view?.turns ?? [];
    if (turns.length === 0) return;
    const at = turns.findIndex(({ turn }) => turn === (this.#cursor ?? turns.at(-1).turn));
    const steps = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      PageUp: at - 10,
      PageDown: at + 10,
      Home: 0,
      End: turns.length - 1,
    };
    if (event.key === "Enter") this.#on.open(turns[at].turn);
    else if (Object.hasOwn(steps, event.key)) {
      const next = this.#cursor === null && event.key.startsWith("Arrow") ? at : steps[event.key];
      this.step(turns[Math.min(turns.length - 1, Math.max(0, next))].turn);
    } else return;
    event.preventDefault();
  }

  #draw(context, width, height) {
    const view = this.#view;
    if (view === null) return;
    const { turns, range, max, marked } = view;
    const isWide = width >= 600;
    const axis = new TurnAxis(width, range);
    this.axis = axis;
    this.#on.axis(axis);
    const highest = turns.reduce((most, { tokens, before }) => Math.max(most, tokens, before ?? 0), max);
    const most = highest > max ? Math.min(highest * 1.03, max * MOST_OVER) : max;
    const y = heights(height, most);
    const columns = columnsOf(turns, Math.min(MOST_COLUMNS, Math.max(60, Math.floor(width - axis.left - axis.right))));
    drawGround(context, { axis, y, most, isWide, ...view });
    context.save();
    context.beginPath();
    context.rect(0, TOP - 2, width, height - TOP + 2);
    context.clip();
    drawColumns(context, columns, axis, y);
    drawGhosts(context, columns, axis, y);
    if (columns.length > 0) drawEdge(context, columns, axis, y);
    context.restore();
    if (columns.length > 0)
      drawTurns(
        context,
        axis,
        height,
        [this.#cursor, marked].filter((turn) => turn !== null),
      );
    this.#drawWindows(context, axis, height);
    if (view.forecast !== null && range.isCurrent && turns.length > 0) {
      drawForecast(context, { axis, y, height, isWide, forecast: view.forecast, max });
    }
    if (marked !== null && axis.has(marked)) mark(context, axis, marked, height);
    this.#drawCursor(context, axis, height);
  }

  /** Where one window ended and the next began, when more than one is shown. */
  #drawWindows(context, axis, height) {
    if (this.#view.range.key !== 0) return;
    context.fillStyle = faded("--text", 0.5);
    for (const { from_turn: turn } of this.#view.windows.slice(1)) {
      if (axis.has(turn)) context.fillRect(axis.x(turn) - 0.5, TOP, 1, height - TOP - BOTTOM);
    }
  }

  #drawCursor(context, axis, height) {
    const turn = this.#cursor;
    if (turn === null || !axis.has(turn)) return;
    const x = axis.x(turn);
    context.fillStyle = faded("--text", 0.16);
    context.fillRect(x, TOP, Math.max(2, axis.step), height - TOP - BOTTOM);
    label(context, whole(turn), x + axis.step / 2, height, "--text");
  }
}

/** The turn that the address names. */
function mark(context, axis, turn, height) {
  const x = axis.x(turn) + axis.step / 2;
  context.fillStyle = colour("--accent");
  context.fillRect(x - 1, TOP, 2, height - TOP - BOTTOM);
  label(context, whole(turn), x, height, "--accent");
}

function label(context, text, x, height, ink) {
  context.fillStyle = colour("--panel");
  context.fillRect(x - 18, height - 17, 36, 16);
  words(context, text, x, height - 9, { align: "center", ink, weight: 600 });
}
