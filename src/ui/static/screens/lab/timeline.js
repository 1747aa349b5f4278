import { Canvas } from "../../draw/canvas.js";
import { colour, faded } from "../../draw/colours.js";
import { el, say } from "../../draw/dom.js";
import { compact, count, percent } from "../../draw/format.js";
import { side } from "./panel.js";
import { FIGURES, policyLabel, recall } from "./words.js";

const LEFT = 44;
const RIGHT = 8;
const LANE = 12;
const LANES = 2 * LANE + 10;
const AXIS = 18;
const FONT = "11px system-ui, sans-serif";

/** One run under A and under B on one turn axis: tokens, edits and lost needs of each turn. */
export class TimelinePair {
  #app;
  #cursor = null;
  #pair = null;
  #sides;
  node;

  constructor(app) {
    this.#app = app;
    this.#sides = ["a", "b"].map((key) => this.#side(key));
    this.node = el("div.lab-timelines", {}, ...this.#sides.map(({ figure }) => figure));
  }

  show(pair) {
    this.#pair = pair;
    this.#cursor = null;
    for (const { key, caption, node, canvas } of this.#sides) {
      const own = pair[key];
      caption.replaceChildren(...words(key.toUpperCase(), own));
      node.setAttribute("aria-label", `${policyLabel(own.policy)}: tokens by turn. Arrow keys move the turn.`);
      canvas.redraw();
    }
  }

  close() {
    for (const { canvas } of this.#sides) canvas.close();
  }

  #side(key) {
    const caption = el("figcaption");
    const node = el("canvas.lab-timeline", { tabindex: "0", role: "application" });
    const canvas = new Canvas(node, (context, width, height) => this.#draw(key, context, width, height));
    node.addEventListener("pointermove", (event) => this.#point(node, event.offsetX));
    node.addEventListener("pointerleave", () => this.#move(null));
    node.addEventListener("blur", () => this.#move(null));
    node.addEventListener("keydown", (event) => this.#key(node, event));
    return { key, caption, node, canvas, figure: el("figure", {}, caption, node) };
  }

  get #turns() {
    return this.#pair === null ? 0 : this.#pair.a.tokens.length;
  }

  #point(node, x) {
    const width = node.clientWidth - LEFT - RIGHT;
    const turn = Math.floor(((x - LEFT) / width) * this.#turns);
    this.#move(turn < 0 || turn >= this.#turns ? null : turn, node);
  }

  #key(node, event) {
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || this.#turns === 0) return;
    event.preventDefault();
    const from = this.#cursor ?? (step > 0 ? -1 : this.#turns);
    this.#move(Math.min(this.#turns - 1, Math.max(0, from + step)), node);
    say(this.#lines().join(". "));
  }

  #move(turn, node) {
    if (this.#cursor === turn) return;
    this.#cursor = turn;
    for (const { canvas } of this.#sides) canvas.redraw();
    if (turn === null) return this.#app.tip.hide();
    const { left, top, width } = node.getBoundingClientRect();
    const column = (width - LEFT - RIGHT) / this.#turns;
    this.#app.tip.show(this.#lines(), left + LEFT + (turn + 0.5) * column, top, 8);
  }

  #lines() {
    const turn = this.#cursor;
    const words = ["a", "b"].map((key) => {
      const { tokens, edits, lost } = this.#pair[key];
      const missed = lost.find((own) => own.turn === turn)?.needs ?? 0;
      const more = [edits.includes(turn) ? "edited" : "", missed > 0 ? count(missed, "need lost", "needs lost") : ""];
      return [`${key.toUpperCase()}: ${compact(tokens[turn] ?? 0)} tok`, ...more.filter((own) => own !== "")].join(
        ", ",
      );
    });
    return [`Turn ${turn + 1}`, ...words];
  }

  #draw(key, context, width, height) {
    if (this.#pair === null) return;
    const own = this.#pair[key];
    const top = Math.max(
      ...["a", "b"].flatMap((each) => [this.#pair[each].window_tokens * 1.08, ...this.#pair[each].tokens]),
    );
    const bottom = height - LANES - AXIS;
    const frame = {
      context,
      x: (turn) => LEFT + (turn / this.#turns) * (width - LEFT - RIGHT),
      y: (tokens) => 6 + (1 - tokens / top) * (bottom - 6),
      bottom,
      right: width - RIGHT,
      top,
      turns: this.#turns,
    };
    context.font = FONT;
    drawZones(frame, own.thresholds);
    drawTokens(frame, own.tokens);
    drawWindow(frame, own.window_tokens);
    drawLanes(frame, own);
    drawAxes(frame, own.window_tokens, height);
    if (this.#cursor !== null) drawCursor(frame, this.#cursor, height - AXIS);
  }
}

function words(letter, own) {
  const lost = own.lost.reduce((sum, { needs }) => sum + needs, 0);
  const variant = own.variant === null ? "" : ` (${policyLabel(own.variant)})`;
  const figures = [
    `recall ${recall(own.line_recall)}`,
    `cost ${FIGURES.relative_cost.text(own.relative_cost)}`,
    count(own.edits.length, "turn edited", "turns edited"),
    count(lost, "need lost", "needs lost"),
    `window filled ${percent(own.mean_utilization, 0)}, peak ${percent(own.peak_utilization, 0)}`,
  ];
  return [
    side(letter),
    el("b", {}, `${policyLabel(own.policy)}${variant}`),
    el("span.hint.num", {}, figures.join(", ")),
  ];
}

function drawZones({ context, y, right, top }, { yellow, orange, red }) {
  const bounds = [
    ["--green", 0, yellow],
    ["--yellow", yellow, orange],
    ["--orange", orange, red],
    ["--red", red, top],
  ];
  for (const [token, from, to] of bounds) {
    const high = y(Math.min(to, top));
    const low = y(Math.min(from, top));
    context.fillStyle = faded(token, 0.1);
    context.fillRect(LEFT, high, right - LEFT, low - high);
    context.fillStyle = colour(token);
    context.fillRect(right + 3, high, 3, Math.max(0, low - high));
  }
}

function drawTokens({ context, x, y, bottom }, tokens) {
  const gap = x(1) - x(0) > 4 ? 1 : 0;
  for (const [turn, own] of tokens.entries()) {
    const width = Math.max(0.6, x(turn + 1) - x(turn) - gap);
    context.fillStyle = faded("--text", 0.22);
    context.fillRect(x(turn), y(own), width, bottom - y(own));
    context.fillStyle = colour("--text");
    context.fillRect(x(turn), y(own) - 0.75, width, 1.5);
  }
}

function drawWindow({ context, y, right }, window) {
  context.strokeStyle = colour("--muted");
  context.setLineDash([4, 3]);
  context.beginPath();
  context.moveTo(LEFT, Math.round(y(window)) + 0.5);
  context.lineTo(right, Math.round(y(window)) + 0.5);
  context.stroke();
  context.setLineDash([]);
}

/** Squares where the context was edited, rings where needs were lost. */
function drawLanes({ context, x, bottom }, { edits, lost }) {
  const size = Math.max(1.5, Math.min(7, x(1) - x(0) - 1));
  context.fillStyle = colour("--text");
  for (const turn of edits) context.fillRect(x(turn + 0.5) - size / 2, bottom + 9, size, 5);
  context.strokeStyle = colour("--red-ink");
  context.lineWidth = 1.3;
  for (const { turn } of lost) {
    context.beginPath();
    context.arc(x(turn + 0.5), bottom + LANE + 12, Math.max(1.4, Math.min(2.8, size / 2)), 0, 2 * Math.PI);
    context.stroke();
  }
  context.lineWidth = 1;
  context.fillStyle = colour("--faint");
  context.textAlign = "right";
  context.fillText("edits", LEFT - 8, bottom + 15);
  context.fillText("lost", LEFT - 8, bottom + LANE + 16);
}

function drawAxes({ context, x, y, right, turns }, window, height) {
  context.fillStyle = colour("--faint");
  context.textAlign = "right";
  for (const tokens of [0, window / 2, window]) context.fillText(compact(tokens), LEFT - 8, y(tokens) + 4);
  context.textAlign = "left";
  context.fillText("turn", LEFT - 36, height - 4);
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => x(n) - x(0) >= 44) ?? turns;
  context.textAlign = "center";
  for (let turn = 0; turn < turns; turn += step) {
    const at = x(turn + 0.5);
    if (at < right - 6) context.fillText(String(turn + 1), Math.max(at, LEFT + 4), height - 4);
  }
}

function drawCursor({ context, x }, turn, height) {
  context.strokeStyle = colour("--accent");
  context.beginPath();
  context.moveTo(Math.round(x(turn + 0.5)) + 0.5, 2);
  context.lineTo(Math.round(x(turn + 0.5)) + 0.5, height);
  context.stroke();
}
