/** Steps between the rules of the chart, and between the turns told below it. */
const MOST_RULES = 5;
const PIXELS_A_TURN = 70;

/** Where turns and balances stand in a chart of that size, and which of them are told. Pure. */
export function paybackScale(points, { width, height, margin }) {
  const values = points.flatMap(({ forecast, measured }) => (measured === null ? [forecast] : [forecast, measured]));
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const room = (high - low || 1) * 0.06;
  const [least, most] = [low - room, high + room];
  const first = points[0].turn;
  const last = Math.max(first + 1, points.at(-1).turn);
  const x = (turn) => margin.left + ((turn - first) / (last - first)) * (width - margin.left - margin.right);
  const y = (value) => margin.top + ((most - value) / (most - least)) * (height - margin.top - margin.bottom);
  return { width, height, x, y, ticks: ticks(least, most), turnTicks: turnTicks(first, last, width - margin.left) };
}

/** Round numbers within a span: 1, 2 or 5 times a power of ten apart. */
function ticks(least, most) {
  const rough = (most - least) / MOST_RULES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const found = [];
  for (let at = Math.ceil(least / step) * step; at <= most; at += step) found.push(Math.abs(at) < step / 2 ? 0 : at);
  return found;
}

function turnTicks(first, last, width) {
  const step = Math.max(1, Math.ceil((last - first) / Math.max(1, Math.floor(width / PIXELS_A_TURN))));
  const found = [];
  for (let turn = first; turn <= last - step / 2 || turn === last; turn += step) found.push(turn);
  return found;
}
