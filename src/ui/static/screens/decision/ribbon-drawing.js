import { colour, faded, inkOn } from "../../draw/colours.js";
import { compact, count } from "../../draw/format.js";
import { colourToken, isHatched, isLedger, shortTitle } from "./block-looks.js";

const BAR = 40;
const TOP = 32;
const FOOT = 18;
/** Narrower canvases have no room for the names of the rows. */
const NAMED_FROM = 600;
const LABEL = 62;
/** A block narrower than this has no words within it. */
const WORDS_FROM = 58;
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/** Places on the canvas: x of tokens, and the rows. */
export function ribbonScale(places, width, height) {
  const left = width < NAMED_FROM ? 0 : LABEL;
  const span = (width - left - 1) / places.most;
  return {
    left,
    span,
    upper: TOP,
    lower: height - BAR - FOOT,
    bar: BAR,
    x: (tokens) => left + tokens * span,
    tokensAt: (x) => (x - left) / span,
  };
}

/** `chosen`, `pointed`: block ids or null. */
export function drawRibbon(context, width, height, { places, pass, chosen, pointed }) {
  const scale = ribbonScale(places, width, height);
  context.textBaseline = "middle";
  if (scale.left > 0) drawNames(context, scale, pass);
  drawBands(context, scale, places);
  for (const place of places.before) drawBefore(context, scale, place);
  for (const place of places.after) drawBlock(context, scale, place, scale.lower, 1);
  drawLedger(context, scale, places.ledger, pass, width);
  drawEdge(context, scale, places.edge, width, height);
  for (const id of [chosen, pointed]) {
    const place = id === null ? undefined : places.before.find(({ block }) => block.block_id === id);
    if (place !== undefined) outline(context, scale.x(place.from), scale.upper, place.size * scale.span, scale.bar);
  }
}

function drawNames(context, { upper, lower }, pass) {
  for (const [y, name, tokens] of [
    [upper, "before", pass.tokens_before],
    [lower, "after", pass.tokens_after],
  ]) {
    words(context, name, 0, y + 13, { token: "--text", weight: 600 });
    words(context, compact(tokens), 0, y + 29, {});
  }
}

/** What stood in both rows is joined; what went whole falls, and fades. */
function drawBands(context, scale, { before }) {
  const [top, bottom] = [scale.upper + scale.bar, scale.lower];
  for (const { block, from, size, taken, to } of before) {
    const [left, right] = [scale.x(from), scale.x(from + size)];
    if (to === null) {
      const fall = context.createLinearGradient(0, top, 0, top + 18);
      fall.addColorStop(0, faded(colourToken(block.type), 0.32));
      fall.addColorStop(1, faded(colourToken(block.type), 0));
      context.fillStyle = fall;
      context.fillRect(left, top, Math.max(right - left - 1, 0.6), 18);
      continue;
    }
    context.fillStyle = taken === null ? faded("--faint", 0.13) : faded(colourToken(block.type), 0.3);
    context.beginPath();
    context.moveTo(left, top);
    context.lineTo(right, top);
    context.lineTo(scale.x(to.from) + Math.max(to.size * scale.span, 1), bottom);
    context.lineTo(scale.x(to.from), bottom);
    context.fill();
  }
}

function drawBefore(context, scale, place) {
  drawBlock(context, scale, place, scale.upper, place.taken === null ? 0.28 : 1);
  if (place.taken === null || place.taken.regret.length === 0) return;
  const middle = scale.x(place.from + place.size / 2);
  words(context, "!", middle, scale.upper - 9, { token: "--red-ink", weight: 700, align: "center", size: 12 });
}

function drawBlock(context, scale, { block, from, size }, y, strength) {
  const token = isLedger(block) ? "--t-ledger" : colourToken(block.type);
  const x = scale.x(from);
  const width = Math.max(size * scale.span - 1, 0.8);
  context.fillStyle = strength === 1 ? colour(token) : faded(token, strength);
  context.fillRect(x, y, width, scale.bar);
  if (isHatched(block.type) && width > 4) hatch(context, x, y, width, scale.bar);
  if (width < WORDS_FROM) return;
  const token_ = strength === 1 ? null : "--muted";
  const title = fitting(context, shortTitle(block), width - 12);
  words(context, title, x + 6, y + scale.bar / 2, { token: token_, ink: inkOn(token), weight: 500 });
}

function drawLedger(context, scale, ledger, { carried }, width) {
  if (ledger === null) return;
  const x = scale.x(ledger.from);
  const lines = carried.ledger?.lines ?? null;
  const label = lines === null ? "ledger, as it was" : `ledger, ${count(lines, "line")}`;
  const room = width - x > 110;
  words(context, label, room ? x : x + ledger.size * scale.span, scale.lower + scale.bar + 10, {
    token: "--text",
    align: room ? "left" : "right",
  });
}

/** Where the provider's cache ends: what stands left of it was kept as it was. */
function drawEdge(context, scale, edge, width, height) {
  const x = scale.x(edge);
  context.fillStyle = colour("--text");
  context.fillRect(Math.round(x) - 0.5, 4, 1, height - FOOT - 4);
  const isFarLeft = x - scale.left < 74;
  if (!isFarLeft) words(context, "cache holds", x - 6, 8, { align: "right" });
  const isFarRight = width - x < 84;
  if (!isFarRight) words(context, "written again", x + 6, 8, {});
}

function hatch(context, x, y, width, height) {
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.strokeStyle = colour("--panel");
  context.lineWidth = 1.2;
  context.beginPath();
  for (let at = x - height; at < x + width; at += 5) {
    context.moveTo(at, y + height);
    context.lineTo(at + height, y);
  }
  context.stroke();
  context.restore();
}

function outline(context, x, y, width, height) {
  context.strokeStyle = colour("--text");
  context.lineWidth = 2;
  context.strokeRect(x + 0.5, y, Math.max(width - 2, 2), height);
}

function words(context, text, x, y, { token = "--muted", ink = null, weight = 400, align = "left", size = 11 }) {
  context.font = `${weight} ${size}px ${FONT}`;
  context.textAlign = align;
  context.fillStyle = token === null ? ink : colour(token);
  context.fillText(text, x, y);
}

/** As much of a text as has room. Titles are short, so that trying costs nothing. */
function fitting(context, text, room) {
  context.font = `500 11px ${FONT}`;
  if (context.measureText(text).width <= room) return text;
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = Math.ceil((least + most) / 2);
    if (context.measureText(`${text.slice(0, middle)}…`).width <= room) least = middle;
    else most = middle - 1;
  }
  return least < 3 ? "" : `${text.slice(0, least)}…`;
}
