import { colour, faded } from "../../../draw/colours.js";
import { signed } from "../../../draw/format.js";
import { hatch, words } from "../marks.js";
import { STACK } from "../read/trend.js";
import { COMPONENT_COLOURS } from "../read/words.js";
import { TOP } from "./ground.js";

/** Narrower columns have neither hairlines nor hatching, px. */
const HAIRLINES_FROM = 4;

/** One step a turn, its components stacked; hairlines between layers and turns keep them apart without strokes. */
export function drawColumns(context, columns, axis, y) {
  const line = colour("--panel");
  for (const column of columns) {
    const [x, width] = extent(column, axis);
    let base = 0;
    for (const [component, tokens] of layers(column)) {
      const top = y(base + tokens);
      context.fillStyle = colour(component);
      context.fillRect(x, top, width + 0.3, y(base) - top);
      base += tokens;
      context.fillStyle = line;
      if (tokens > 0 && width >= HAIRLINES_FROM) context.fillRect(x, top, width + 0.5, 1);
    }
    if (width > 8) context.fillRect(x + width - 0.5, y(column.tokens), 0.75, y(0) - y(column.tokens));
  }
}

/** [token of the colour, tokens] from the ground up; what is not told by component is one grey layer. */
function layers({ components, tokens }) {
  const told = STACK.map((name) => [COMPONENT_COLOURS[name], components[name] ?? 0]);
  const sum = told.reduce((total, [, part]) => total + part, 0);
  return sum === 0 ? [["--line-strong", tokens]] : told;
}

function extent({ from, to }, axis) {
  return [axis.x(from), (to - from + 1) * axis.step];
}

/** What an edit took away, as an outline of what was there. */
export function drawGhosts(context, columns, axis, y) {
  let labelEnd = Number.NEGATIVE_INFINITY;
  for (const column of columns) {
    if (column.before === null) continue;
    const [x, width] = extent(column, axis);
    const top = y(column.before);
    const depth = y(column.tokens) - top;
    outline(context, x, top, width, depth);
    if (width < 14 || x < labelEnd) continue;
    words(context, signed(column.edited), x + width + 4, Math.max(TOP + 5, top + 6), {
      ink: "--text",
      weight: 600,
    });
    labelEnd = x + width + 56;
  }
}

function outline(context, x, y, width, height) {
  if (width < HAIRLINES_FROM) {
    context.fillStyle = faded("--muted", 0.3);
    context.fillRect(x, y, width, height);
    return;
  }
  hatch(context, x, y, width, height, { ink: colour("--faint"), gap: 5, line: 0.8 });
  context.strokeStyle = colour("--muted");
  context.lineWidth = 1;
  context.setLineDash([2, 2]);
  context.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), height);
  context.setLineDash([]);
}

/** The upper edge of it all. */
export function drawEdge(context, columns, axis, y) {
  const isDense = axis.step < 3;
  context.strokeStyle = isDense ? faded("--text", 0.45) : colour("--text");
  context.lineWidth = isDense ? 1 : 1.5;
  context.beginPath();
  for (const [i, column] of columns.entries()) {
    const [x, width] = extent(column, axis);
    if (i === 0) context.moveTo(x, y(column.tokens));
    else context.lineTo(x, y(column.tokens));
    context.lineTo(x + width, y(column.tokens));
  }
  context.stroke();
}
