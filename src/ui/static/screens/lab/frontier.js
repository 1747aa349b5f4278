import { el, svg } from "../../draw/dom.js";
import { widthOf } from "../../draw/font.js";
import { scrolled } from "./panel.js";
import { FIGURES, policyLabel, recall } from "./words.js";

const LEAST_HEIGHT = 340;
const MARGIN = { left: 38, right: 18, top: 26, bottom: 40 };
/** Labels are placed before they are drawn: in the page's font, as screen.css has them. */
const measured = document.createElement("canvas").getContext("2d");
const LINE = 13;

/** Line recall against cost, one point a policy: up and left is better. Bounds are crosses; A is a ring, B is full. */
export class Frontier {
  #scores = [];
  #sides = {};
  #box = el("div.lab-frontier");
  #observer = new ResizeObserver(() => this.#draw());
  #table = el("div");
  node;

  constructor() {
    const details = el("details.lab-details", {}, el("summary", {}, "All policies in figures"), this.#table);
    this.node = el("div.lab-plot", {}, this.#box, details);
    this.#observer.observe(this.#box);
  }

  /** `sides`: the names of A and B. */
  show(scores, sides) {
    this.#scores = scores;
    this.#sides = sides;
    this.#table.replaceChildren(scrolled("All policies in figures", table(scores)));
    this.#draw();
  }

  close() {
    this.#observer.disconnect();
  }

  #draw() {
    const width = this.#box.clientWidth;
    const height = Math.max(LEAST_HEIGHT, this.#box.clientHeight);
    const points = this.#scores
      .filter(({ line_recall, relative_cost }) => line_recall !== null && relative_cost !== null)
      .map((score) => ({ score, cost: score.relative_cost.mean, line: score.line_recall.mean }));
    if (width === 0 || points.length === 0) return;
    const least = Math.min(...points.map(({ line }) => line));
    const recalls = [Math.max(0, Math.floor((least - 0.03) * 10) / 10), 1];
    const costs = [
      Math.min(0.9, Math.floor((Math.min(...points.map(({ cost }) => cost)) - 0.05) * 10) / 10),
      Math.max(1.1, ...points.map(({ cost }) => cost + 0.06)),
    ];
    const x = scale(costs, [MARGIN.left, width - MARGIN.right]);
    const y = scale(recalls, [height - MARGIN.bottom, MARGIN.top]);
    for (const point of points) Object.assign(point, { x: x(point.cost), y: y(point.line) });
    const name = `Line recall against cost of ${points.length} policies; the table below has the figures.`;
    this.#box.replaceChildren(
      svg(
        "svg",
        { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name },
        ...axes(x, y, costs, recalls, { width, height }),
        svg("path", { class: "best", d: path(bestOf(points)) }),
        ...pairLine(points, this.#sides),
        ...[...points]
          .sort((p, q) => isSide(p, this.#sides) - isSide(q, this.#sides))
          .map((point) => mark(point, this.#sides)),
        ...labels(points, this.#sides, { width, height }),
      ),
    );
  }
}

function scale([from, to], [start, end]) {
  return (value) => start + ((value - from) / (to - from)) * (end - start);
}

function axes(x, y, costs, recalls, { width, height }) {
  const bottom = height - MARGIN.bottom;
  const right = width - MARGIN.right;
  const step = recalls[1] - recalls[0] > 0.55 ? 0.2 : 0.1;
  const nodes = [];
  for (const tick of ticks(recalls, step)) {
    nodes.push(svg("line", { class: "grid", x1: MARGIN.left, x2: right, y1: y(tick), y2: y(tick) }));
    nodes.push(text(MARGIN.left - 8, y(tick) + 4, tick === 1 ? "1.0" : tick.toFixed(1).slice(1), "end"));
  }
  const wide = (costs[1] - costs[0]) / ((right - MARGIN.left) / 62);
  for (const tick of ticks(costs, [0.1, 0.2, 0.5, 1, 2].find((own) => own >= wide) ?? 5)) {
    const isOne = Math.abs(tick - 1) < 1e-9;
    nodes.push(
      svg("line", { class: isOne ? "grid one" : "grid", x1: x(tick), x2: x(tick), y1: MARGIN.top, y2: bottom }),
    );
    nodes.push(text(x(tick), bottom + 16, `${tick.toFixed(1)}×`, "middle"));
  }
  nodes.push(text(MARGIN.left, 14, "line recall"));
  nodes.push(text(MARGIN.left, height - 6, "cost, against no management"));
  return nodes;
}

function ticks([from, to], step) {
  const found = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to + 1e-9; n++) found.push(Number((n * step).toFixed(6)));
  return found;
}

function text(x, y, words, anchor = "start", className = "axis") {
  const node = svg("text", { x: x.toFixed(1), y: y.toFixed(1), "text-anchor": anchor, class: className });
  node.textContent = words;
  return node;
}

/** The policies that no other one beats in both: what is left to choose from. Bounds cannot be chosen. */
function bestOf(points) {
  const best = [];
  const real = points.filter(({ score }) => score.kind !== "bound").sort((p, q) => p.cost - q.cost || q.line - p.line);
  for (const point of real) if (best.length === 0 || point.line > best.at(-1).line) best.push(point);
  return best;
}

function path(points) {
  return points.map(({ x, y }, i) => `${i === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function pairLine(points, { a, b }) {
  const both = [a, b].map((name) => points.find(({ score }) => score.policy === name));
  return both.every((point) => point !== undefined) ? [svg("path", { class: "pair", d: path(both) })] : [];
}

function mark({ score, x, y }, { a, b }) {
  const at = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  if (score.policy === a || score.policy === b) {
    const letter = score.policy === a ? "A" : "B";
    const group = svg("g", { class: `side of-${letter.toLowerCase()}`, transform: at }, svg("circle", { r: 7.5 }));
    group.append(text(0, 3.2, letter, "middle", "letter"));
    return group;
  }
  if (score.kind === "bound") return svg("path", { class: "bound", d: "M-5 0H5M0 -5V5", transform: at });
  return svg("circle", { class: "other", r: 3.5, transform: at });
}

/** Each label where it covers least of what is placed already: the points first, then the labels before it. */
function labels(points, sides, size) {
  const taken = points.map(({ x, y }) => ({ left: x - 8, right: x + 8, top: y - 8, bottom: y + 8 }));
  return [...points]
    .sort((p, q) => isSide(q, sides) - isSide(p, sides))
    .map((point) => {
      const words = policyLabel(point.score.policy);
      const long = widthOf(measured, words, 11, isSide(point, sides) ? 700 : 400);
      const boxes = places(point, long).map((box) => ({ ...box, cost: covered(box, taken, size) }));
      const best = boxes.reduce((least, box) => (box.cost < least.cost ? box : least));
      taken.push(best);
      return text(best.left, best.bottom - 3, words, "start", isSide(point, sides) ? "name chosen" : "name");
    });
}

function isSide({ score }, { a, b }) {
  return Number(score.policy === a || score.policy === b);
}

function places({ x, y }, long) {
  const offsets = [
    [11, -LINE / 2],
    [-11 - long, -LINE / 2],
    [-long / 2, -LINE - 9],
    [-long / 2, 9],
    [9, -LINE - 6],
    [9, 6],
    [-9 - long, -LINE - 6],
    [-9 - long, 6],
    [11, -LINE / 2 + 22],
    [11, -LINE / 2 - 22],
    [-11 - long, -LINE / 2 + 22],
    [-11 - long, -LINE / 2 - 22],
  ];
  return offsets.map(([dx, dy], rank) => ({
    left: x + dx,
    right: x + dx + long,
    top: y + dy,
    bottom: y + dy + LINE,
    rank,
  }));
}

function covered(box, taken, { width, height }) {
  const over = taken.reduce((sum, other) => {
    const across = Math.min(box.right, other.right) - Math.max(box.left, other.left);
    const down = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
    return across > 0 && down > 0 ? sum + across * down : sum;
  }, 0);
  const outside = Math.max(0, MARGIN.left - box.left) + Math.max(0, box.right - width + 2);
  const high = Math.max(0, 16 - box.top) + Math.max(0, box.bottom - (height - MARGIN.bottom));
  return over + (outside + high) * 40 + box.rank * 2;
}

function table(scores) {
  const names = ["line_recall", "far_recall", "grounded_recall", "relative_cost", "edits_per_100_turns"];
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "Policy"),
    ...names.map((name) => el("th.n", { scope: "col" }, FIGURES[name].name)),
    el("th.n", { scope: "col" }, "Runs"),
  );
  const sorted = [...scores].sort((p, q) => (q.line_recall?.mean ?? -1) - (p.line_recall?.mean ?? -1));
  const rows = sorted.map((score) =>
    el(
      "tr",
      { "data-policy": score.policy },
      el(
        "th",
        { scope: "row" },
        policyLabel(score.policy),
        score.kind === "bound" ? el("span.hint", {}, " bound") : null,
      ),
      ...names.map((name) =>
        el("td.n.num", { title: interval(score[name], name) }, FIGURES[name].text(score[name]?.mean ?? null)),
      ),
      el("td.n.num", {}, String(score.runs)),
    ),
  );
  return el("table.lab-table", {}, el("thead", {}, head), el("tbody", {}, ...rows));
}

function interval(estimate, name) {
  if (estimate === null) return "no run has it";
  const write = name.endsWith("recall") ? recall : FIGURES[name].text;
  return `95% interval ${write(estimate.low)} to ${write(estimate.high)}`;
}
