import { colour } from "../../draw/colours.js";
import { font, widthOf } from "../../draw/font.js";

/** What canvases of this screen have in common: words, hatching, and the silhouettes of the zones. */

const ELLIPSIS = "…";
/** More than fits beside any mark: a longer text is not measured whole. */
const MOST_CHARACTERS = 160;

/** `ink`: a token as "--text", or a colour. */
export function words(context, text, x, y, { ink = "--faint", size = 11, weight = 400, align = "left" } = {}) {
  context.font = font(size, weight);
  context.fillStyle = ink.startsWith("--") ? colour(ink) : ink;
  context.textAlign = align;
  context.textBaseline = "middle";
  context.direction = "ltr";
  context.fillText(text, x, y);
}

/** The text, or as much of its beginning as fits into `width`; "" when nothing does. */
export function fitted(context, text, width, size = 11, weight = 400) {
  const whole = text.length > MOST_CHARACTERS ? text.slice(0, MOST_CHARACTERS) + ELLIPSIS : text;
  if (widthOf(context, whole, size, weight) <= width) return whole;
  let [fits, over] = [0, whole.length];
  while (over - fits > 1) {
    const half = (fits + over) >> 1;
    if (context.measureText(whole.slice(0, half) + ELLIPSIS).width <= width) fits = half;
    else over = half;
  }
  return fits === 0 ? "" : whole.slice(0, fits).trimEnd() + ELLIPSIS;
}

/** Slanted lines over a rectangle, `gap` pixels apart. */
export function hatch(context, x, y, width, height, { ink, gap = 6, line = 1 }) {
  if (width <= 0 || height <= 0) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.beginPath();
  // The lines of neighbours meet: they are laid on one grid of the canvas.
  const first = Math.floor((x + y) / gap) * gap;
  for (let sum = first; sum < x + y + width + height + gap; sum += gap) {
    context.moveTo(sum - y, y);
    context.lineTo(sum - y - height, y + height);
  }
  context.strokeStyle = ink;
  context.lineWidth = line;
  context.stroke();
  context.restore();
}

/** A zone's silhouette: ring, half disc, triangle, diamond. */
export function zoneShape(context, zone, x, y, radius) {
  context.fillStyle = colour(`--${zone}`);
  context.strokeStyle = context.fillStyle;
  context.lineWidth = 1.6;
  context.beginPath();
  if (zone === "orange")
    polygon(context, [x, y - radius], [x + radius, y + radius * 0.8], [x - radius, y + radius * 0.8]);
  else if (zone === "red") polygon(context, [x, y - radius], [x + radius, y], [x, y + radius], [x - radius, y]);
  else context.arc(x, y, radius - 0.8, 0, Math.PI * 2);
  if (zone === "orange" || zone === "red") {
    context.fill();
    return;
  }
  context.stroke();
  if (zone === "green") return;
  context.beginPath();
  context.arc(x, y, radius - 0.8, -Math.PI / 2, Math.PI / 2);
  context.fill();
}

function polygon(context, ...points) {
  for (const [i, [x, y]] of points.entries()) {
    if (i === 0) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
  context.closePath();
}

/** The zones as stretches of the window, in tokens: [zone, from, to]. */
export function zoneBands({ yellow, orange, red }, max, top = max) {
  return [
    ["green", 0, yellow * max],
    ["yellow", yellow * max, orange * max],
    ["orange", orange * max, red * max],
    ["red", red * max, Math.max(top, max)],
  ];
}
