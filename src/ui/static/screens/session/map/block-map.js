import { Canvas } from "../../../draw/canvas.js";
import { colour, faded, inkOn } from "../../../draw/colours.js";
import { el } from "../../../draw/dom.js";
import { widthOf } from "../../../draw/font.js";
import { compact } from "../../../draw/format.js";
import { fitted, hatch, words, zoneBands, zoneShape } from "../marks.js";
import { typeOf } from "../read/words.js";
import { indexAt, MapRows, placed } from "./places.js";

const ROWS = 8;
const NARROW = 500;
/** A block under this width has no words, px. */
const WORDS_FROM = 44;
const SIZE_FROM = 60;

/**
 * The whole window as a place: eight rows, width is tokens, colour is type, strength is score. One tab stop with a cursor
 * of blocks: `onPoint(block | null)`, `onChoose(block)` at Enter or a click.
 */
export class BlockMap {
  node = el("canvas.block-map", {
    tabindex: "0",
    role: "img",
    "aria-label":
      "The window block by block. Arrows move from block to block, Enter chooses; the order List tells the same.",
  });
  #on;
  #view = null;
  #places = [];
  #rows = null;
  #cursor = -1;
  #canvas = new Canvas(this.node, (context, width, height) => this.#draw(context, width, height));

  constructor(on) {
    this.#on = on;
    this.node.addEventListener("pointermove", (event) => this.#point(event.offsetX, event.offsetY));
    this.node.addEventListener("pointerleave", () => this.#move(-1));
    this.node.addEventListener("blur", () => this.#move(-1));
    this.node.addEventListener("click", () => this.#choose());
    this.node.addEventListener("keydown", (event) => this.#key(event));
  }

  /** { blocks, used, max, reserve, thresholds, order, chosen }; `chosen`: a block's id. */
  show(view) {
    const at = this.#places[this.#cursor]?.block.block_id;
    this.#view = view;
    this.#places = placed(view.blocks, view.order, view.used);
    this.#cursor = at === undefined ? -1 : this.#places.findIndex(({ block }) => block.block_id === at);
    this.#canvas.redraw();
  }

  close() {
    this.#canvas.close();
  }

  #point(x, y) {
    if (this.#rows !== null) this.#move(x < this.#rows.left ? -1 : indexAt(this.#places, this.#rows.tokensAt(x, y)));
  }

  #move(index) {
    if (index === this.#cursor) return;
    this.#cursor = index;
    this.#on.point(this.#places[index]?.block ?? null);
    this.#canvas.redraw();
  }

  #choose() {
    const found = this.#places[this.#cursor];
    if (found !== undefined) this.#on.choose(found.block);
  }

  #key(event) {
    const last = this.#places.length - 1;
    if (last < 0 || this.#rows === null) return;
    const here =
      this.#cursor >= 0 ? this.#cursor : this.#places.findIndex(({ block }) => block.block_id === this.#view.chosen);
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    const rows = { ArrowUp: -1, ArrowDown: 1 };
    let next = null;
    if (event.key === "Home") next = 0;
    else if (event.key === "End") next = last;
    else if (Object.hasOwn(steps, event.key)) next = here + steps[event.key];
    else if (Object.hasOwn(rows, event.key)) next = this.#beside(here, rows[event.key]);
    else if (event.key === "Enter") this.#choose();
    else return;
    event.preventDefault();
    if (next === null) return;
    this.#move(Math.min(last, Math.max(0, next)));
    this.#on.speak(this.#places[this.#cursor].block);
  }

  /** The block above or below the middle of this one. */
  #beside(index, rows) {
    const here = this.#places[index];
    if (here === undefined) return 0;
    const found = indexAt(this.#places, (here.from + here.to) / 2 + rows * this.#rows.per);
    return found < 0 ? index : found;
  }

  #draw(context, width, height) {
    const view = this.#view;
    if (view === null) return;
    const end = this.#places.at(-1)?.to ?? 0;
    const rows = new MapRows({
      ...{ width, height, max: view.max, used: end, rows: width < NARROW ? ROWS * 2 : ROWS },
      widthOf: (label) => widthOf(context, label),
    });
    this.#rows = rows;
    drawEmpty(context, rows, view);
    for (const place of this.#places) drawBlock(context, rows, place);
    drawRed(context, rows, view, end);
    this.#outline(context, view.chosen, 2);
    const pointed = this.#places[this.#cursor]?.block.block_id;
    if (pointed !== undefined && pointed !== view.chosen) this.#outline(context, pointed, 1.5);
  }

  #outline(context, id, line) {
    const place = this.#places.find(({ block }) => block.block_id === id);
    if (place === undefined) return;
    context.strokeStyle = colour("--text");
    context.lineWidth = line;
    for (const { x, y, width, height } of this.#rows.rectangles(place.from, place.to)) {
      context.strokeRect(x - 1, y - 1, Math.max(width, 2) + 1, height + 2);
    }
  }
}

/** The empty window: zones as a faint ground, so that the way to red can be seen, and what is kept for output. */
function drawEmpty(context, rows, { max, reserve, thresholds }) {
  const top = rows.count * rows.per;
  for (const [zone, from, to] of zoneBands(thresholds, max, top)) {
    context.fillStyle = faded(`--${zone}`, 0.1);
    for (const { x, y, width, height } of rows.rectangles(from, to)) context.fillRect(x, y, width, height);
  }
  for (const { x, y, width, height } of rows.rectangles(max - reserve, max)) {
    hatch(context, x, y, width, height, { ink: faded("--faint", 0.45) });
    if (width > 220)
      words(context, "kept for output", x + width - 8, y + height / 2, { ink: "--muted", align: "right" });
  }
  for (const [row, label] of rows.labels.entries()) {
    words(context, label, rows.left - MapRows.BESIDE, rows.y(row) + rows.rowHeight / 2, { align: "right" });
  }
}

/** Where red begins; told in words while nothing stands there. */
function drawRed(context, rows, { max, thresholds }, end) {
  const red = thresholds.red * max;
  const [mark] = rows.rectangles(red, red + 1);
  if (mark === undefined) return;
  context.fillStyle = colour("--red");
  context.fillRect(mark.x - 1, mark.y - 2, 2, mark.height + 4);
  if (end > red) return;
  zoneShape(context, "red", mark.x + 10, mark.y + mark.height / 2, 4.5);
  words(context, "red from here", mark.x + 20, mark.y + mark.height / 2, { ink: "--red-ink", weight: 600 });
}

/** How strongly a block is drawn: what stays is full. */
export function strengthOf({ score, protected_by: rule, pinned }) {
  if (pinned || (rule ?? null) !== null || (score ?? null) === null) return 1;
  return 0.22 + 0.72 * Math.min(1, Math.max(0, score));
}

function drawBlock(context, rows, { block, from, to }) {
  const { colour: token, hatched } = typeOf(block);
  const strength = strengthOf(block);
  let widest = null;
  for (const part of rows.rectangles(from, to)) {
    const width = Math.max(0.8, part.width - (part.isLast && part.width > 2 ? 1 : 0));
    const { x, y, height } = part;
    context.fillStyle = colour("--panel");
    context.fillRect(x, y, width, height);
    context.fillStyle = faded(token, strength);
    context.fillRect(x, y, width, height);
    if (hatched && width > 3) hatch(context, x, y, width, height, { ink: colour("--panel"), gap: 5, line: 1.4 });
    edges(context, block, x, y, width, height);
    if (widest === null || width > widest.width) widest = { x, y, width, height };
  }
  if (widest !== null && widest.width > WORDS_FROM) inscribe(context, block, widest, inkOn(token, strength));
}

/** A full upper edge: protected; dashes below: goes next. */
function edges(context, block, x, y, width, height) {
  context.fillStyle = colour("--text");
  if (block.pinned || (block.protected_by ?? null) !== null) context.fillRect(x, y, width, 2);
  if (block.goes_next !== true || width <= 2) return;
  for (let dash = x; dash < x + width - 1; dash += 5) {
    context.fillRect(dash, y + height - 1.5, Math.min(2.5, x + width - dash), 1.5);
  }
}

function inscribe(context, block, { x, y, width, height }, ink) {
  const twoLines = height > 24 && width > SIZE_FROM;
  const middle = y + height / 2;
  const title = fitted(context, titleOf(block), width - 10, 11, 500);
  words(context, title, x + 5, middle - (twoLines ? 6 : 0), { ink, weight: 500 });
  if (twoLines) words(context, compact(block.tokens), x + 5, middle + 7, { ink, size: 10.5 });
}

/** One line that names a block. */
export function titleOf(block) {
  const title = (block.title ?? "").replaceAll(/\s+/g, " ").trim();
  return title || block.tool_name || typeOf(block).name;
}
