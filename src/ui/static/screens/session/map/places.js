import { windowSize } from "../../../draw/format.js";

/** The types of blocks in the order in which they are shown. */
export const TYPE_ORDER = [
  "system_prompt",
  "tool_definition",
  "user_message",
  "assistant_response",
  "thinking",
  "summary",
  "tool_result",
  "memory_injection",
  "note",
];

const ORDERS = {
  prompt: null,
  type: (a, b) => TYPE_ORDER.indexOf(a.type) - TYPE_ORDER.indexOf(b.type),
  score: (a, b) => (b.score ?? 2) - (a.score ?? 2),
};

/** Blocks in an order, each with where it begins and ends in the window: [{ block, from, to }] in tokens. */
export function placed(blocks, order, used) {
  const compare = ORDERS[order] ?? null;
  const sorted = compare === null ? blocks : blocks.toSorted(compare);
  const sum = sorted.reduce((total, { tokens }) => total + tokens, 0);
  // Our counts are brought to the size as the provider counts it, which has the messages' own overhead too.
  const scale = sum > 0 && used > 0 ? used / sum : 1;
  let at = 0;
  return sorted.map((block) => {
    const from = at;
    at += block.tokens * scale;
    return { block, from, to: at };
  });
}

/** Least room for the labels of the rows, px: maps of windows of every usual size begin at one edge. */
const LABELS = 32;

/** The window as rows of a map. Sizes in CSS pixels. */
export class MapRows {
  static GAP = 5;
  /** Between a label and its row. */
  static BESIDE = 8;

  /** `widthOf(text)`: what a label takes, px. */
  constructor({ width, height, max, used, rows, widthOf }) {
    this.per = max / rows;
    this.count = Math.max(rows, Math.ceil(used / this.per));
    this.labels = Array.from({ length: this.count }, (_, row) => labelOf(row * this.per));
    const widest = this.labels.reduce((most, label) => Math.max(most, Math.ceil(widthOf(label))), LABELS);
    this.left = widest + MapRows.BESIDE;
    this.width = width - this.left - 1;
    this.rowHeight = height / this.count - MapRows.GAP;
  }

  /** The rectangles of a stretch of tokens, one a row that it touches. */
  rectangles(from, to) {
    const found = [];
    for (let row = Math.floor(from / this.per); row < this.count && row * this.per < to; row++) {
      const start = Math.max(from, row * this.per);
      const end = Math.min(to, (row + 1) * this.per);
      if (end <= start) continue;
      found.push({
        row,
        x: this.left + ((start - row * this.per) / this.per) * this.width,
        y: this.y(row),
        width: ((end - start) / this.per) * this.width,
        height: this.rowHeight,
        isLast: end === to,
      });
    }
    return found;
  }

  y(row) {
    return row * (this.rowHeight + MapRows.GAP) + 2;
  }

  /** The place in the window under a point, tokens. */
  tokensAt(x, y) {
    const row = Math.floor(y / (this.rowHeight + MapRows.GAP));
    return (row + (x - this.left) / this.width) * this.per;
  }
}

/** Where in the window a row begins. */
function labelOf(tokens) {
  return tokens === 0 ? "0" : windowSize(Math.round(tokens / 100) * 100);
}

/** The index of the stretch that holds a place; -1: none does. */
export function indexAt(places, tokens) {
  let [low, high] = [0, places.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (tokens < places[middle].from) high = middle - 1;
    else if (tokens >= places[middle].to) low = middle + 1;
    else return middle;
  }
  return -1;
}
