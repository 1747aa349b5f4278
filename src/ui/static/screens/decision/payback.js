import { el, svg } from "../../draw/dom.js";
import { compact, count, signed, whole } from "../../draw/format.js";
import { breakEven } from "./gate.js";
import { regretWord } from "./kind-words.js";
import { paybackScale } from "./payback-scale.js";

const HEIGHT = 220;
const MARGIN = { left: 52, right: 14, top: 14, bottom: 28 };
/** Pixels that two labels of needs must be apart. */
const LABEL_APART = 76;

/** The balance of the pass over the turns behind it: forecast dashed, measured solid, needs as marks on it. */
export function drawPayback(root, hint, pass, blocks, width) {
  const { payback } = pass;
  if (payback === null || payback.points.length === 0) {
    hint.textContent = "";
    root.replaceChildren(el("p.dim", {}, "No payback without the figures of the gate."));
    return;
  }
  hint.textContent = hintWords(pass);
  const needs = needsOn(payback.points, blocks);
  const scale = paybackScale(payback.points, { width: Math.max(280, width), height: HEIGHT, margin: MARGIN });
  root.replaceChildren(
    chart(payback.points, needs, scale, hintWords(pass)),
    el("p.hint", {}, `In ${payback.unit}: what was saved since, less what the pass cost.`),
    table(payback.points),
  );
}

function hintWords({ payback, turn, gate }) {
  const measured = payback.points.filter((point) => point.measured !== null);
  const forecast =
    gate === null
      ? ""
      : `; ${Number.isFinite(breakEven(gate)) ? `${breakEven(gate).toFixed(1)} turns` : "never"} forecast`;
  if (payback.paid_back_turn !== null) {
    return `paid back at turn ${payback.paid_back_turn}, after ${count(payback.paid_back_turn - turn, "turn")}${forecast}`;
  }
  if (measured.length === 0) return `not measured: the provider told no cache reads${forecast}`;
  return `not paid back after ${count(measured.length, "turn")}${forecast}`;
}

/** Needs within the turns shown, one a turn, on the measured line where there is one. */
function needsOn(points, blocks) {
  const byTurn = new Map();
  for (const { regret } of blocks) for (const { turn, kind } of regret) if (!byTurn.has(turn)) byTurn.set(turn, kind);
  return [...byTurn]
    .sort((a, b) => a[0] - b[0])
    .flatMap(([turn, kind]) => {
      const point = points.find((each) => each.turn === turn);
      return point === undefined ? [] : [{ turn, words: regretWord(kind), value: point.measured ?? point.forecast }];
    });
}

function chart(points, needs, { width, height, x, y, ticks, turnTicks }, words) {
  const line = (pairs) =>
    pairs.map(([turn, v], i) => `${i === 0 ? "M" : "L"}${x(turn).toFixed(1)} ${y(v).toFixed(1)}`).join("");
  const measured = points.filter((point) => point.measured !== null);
  const last = measured.at(-1);
  const text = (attributes, content) => svg("text", attributes, content);
  return svg(
    "svg",
    { class: "plot", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Payback: ${words}` },
    ...ticks.flatMap((value) => [
      svg("line", {
        class: value === 0 ? "zero" : "rule-line",
        x1: MARGIN.left,
        x2: width - MARGIN.right,
        y1: y(value),
        y2: y(value),
      }),
      text(
        { class: "axis end", x: MARGIN.left - 8, y: y(value) + 4 },
        value === 0 ? "0" : signed(value).replace(".0", ""),
      ),
    ]),
    ...turnTicks.map((turn, i) =>
      text({ class: "axis middle", x: x(turn), y: height - 8 }, i === 0 ? `turn ${turn}` : String(turn)),
    ),
    svg("path", { class: "forecast", d: line(points.map((point) => [point.turn, point.forecast])) }),
    svg("path", { class: "measured", d: line(measured.map((point) => [point.turn, point.measured])) }),
    ...needs.map(({ turn, value }) => svg("circle", { class: "need-dot", cx: x(turn), cy: y(value), r: 3.4 })),
    ...labelled(needs, x, last).map(({ turn, value, words: kind }) =>
      text({ class: "axis", x: x(turn) + 8, y: y(value) + 15 }, kind),
    ),
    ...forecastLabel(points, x, y, text),
    ...(last === undefined ? [] : endLabel(last, x, y, width, text)),
  );
}

/** Needs whose words have room: apart from one another, and from the figure at the end of the measured line. */
function labelled(needs, x, last) {
  let free = Number.NEGATIVE_INFINITY;
  return needs.filter(({ turn }) => {
    if (x(turn) < free || (last !== undefined && Math.abs(x(turn) - x(last.turn)) < LABEL_APART)) return false;
    free = x(turn) + LABEL_APART;
    return true;
  });
}

function forecastLabel(points, x, y, text) {
  const at = points[Math.floor(points.length * 0.82)];
  return at === undefined ? [] : [text({ class: "axis end", x: x(at.turn) - 4, y: y(at.forecast) - 8 }, "forecast")];
}

function endLabel({ turn, measured }, x, y, width, text) {
  const words = `${measured < 0 ? "−" : "+"}${whole(Math.abs(measured))} measured`;
  const isRight = x(turn) > width - 150;
  return [
    svg("circle", { class: "end-dot", cx: x(turn), cy: y(measured), r: 3.6 }),
    text(
      {
        class: isRight ? "axis strong end" : "axis strong",
        x: x(turn) + (isRight ? -8 : 8),
        y: y(measured) + (isRight ? -10 : 17),
      },
      words,
    ),
  ];
}

/** The same figures for who does not see the chart. */
function table(points) {
  const row = ({ turn, forecast, measured }) =>
    el(
      "tr",
      {},
      el("td", {}, String(turn)),
      el("td", {}, compact(forecast)),
      el("td", {}, measured === null ? "not measured" : compact(measured)),
    );
  const heads = ["Turn", "Forecast", "Measured"].map((words) => el("th", { scope: "col" }, words));
  // A table is as wide as its words whatever is set, so it is hidden by what holds it.
  return el(
    "div.unseen",
    {},
    el("table", {}, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...points.map(row))),
  );
}
