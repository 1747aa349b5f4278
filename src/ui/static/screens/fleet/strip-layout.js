import { BUCKETS } from "./buckets.js";

/** Under this width each bucket is a row of its own. */
const NARROW = 500;
/** Under this pitch a bar is too short for a length to be read. */
export const LEAST_BAR = 8;
const ROWS = 9;
const TOP = 3;
const WIDEST_COLUMN = 34;
const LEAST_GAP = 14;
/** For the name of a bucket and its count, below the columns. */
const FOOT = 40;
const SIDE = { label: 76, count: 40, row: 20, tick: 3 };

/**
 * Where the strip draws what, in CSS pixels, from the sessions in each bucket. A cell is found by its bucket and place,
 * and a place by a point, by arithmetic on its column: nothing is searched.
 */
export function stripLayout(counts, width) {
  return width < NARROW ? new RowLayout(counts, width) : new ColumnLayout(counts, width);
}

export function stripHeight(width) {
  return width < NARROW ? BUCKETS.length * SIDE.row + 2 * TOP : TOP + ROWS * pitchDown(width) + FOOT;
}

function pitchDown(width) {
  return width >= 1700 ? 14 : 12;
}

/** Buckets side by side, nine sessions a column. */
class ColumnLayout {
  narrow = false;
  constructor(counts, width) {
    this.counts = counts;
    this.down = pitchDown(width);
    const columns = Array.from(counts, (n) => Math.ceil(n / ROWS));
    const widths = (pitch) => columns.map((n, b) => Math.max(BUCKETS[b].least, n * pitch));
    const room = width - LEAST_GAP * (BUCKETS.length - 1);
    this.pitch = widestPitch((pitch) => sum(widths(pitch)) <= room);
    const used = widths(this.pitch);
    const gap = Math.max(LEAST_GAP, (width - sum(used)) / (BUCKETS.length - 1));
    let x = 0;
    this.groups = used.map((wide, b) => {
      const group = { x, width: wide, columns: columns[b] };
      x += wide + gap;
      return group;
    });
    this.foot = TOP + ROWS * this.down + 4;
  }

  get inBlocks() {
    return this.pitch < LEAST_BAR;
  }

  cell(bucket, place) {
    const x = this.groups[bucket].x + Math.floor(place / ROWS) * this.pitch;
    const width = this.inBlocks ? Math.max(1, this.pitch - 1) : this.pitch - 5;
    return { x, y: TOP + (place % ROWS) * this.down, width, height: this.down };
  }

  name(bucket) {
    const { x, width } = this.groups[bucket];
    return { x: Math.round(x), y: this.foot, width: Math.round(width) };
  }

  /** The bucket and place at a point; null between them. */
  at(x, y) {
    const row = Math.floor((y - TOP) / this.down);
    if (row < 0 || row >= ROWS) return null;
    const bucket = this.groups.findIndex((group) => x >= group.x && x < group.x + group.columns * this.pitch);
    if (bucket < 0) return null;
    const place = Math.floor((x - this.groups[bucket].x) / this.pitch) * ROWS + row;
    return place < this.counts[bucket] ? { bucket, place } : null;
  }

  /** One step of an arrow key; across the edge of a bucket into the next that has sessions. */
  step({ bucket, place }, key) {
    if (key === "ArrowUp" || key === "ArrowDown") {
      const next = place + (key === "ArrowUp" ? -1 : 1);
      return next >= 0 && next < this.counts[bucket] ? { bucket, place: next } : { bucket, place };
    }
    const side = key === "ArrowLeft" ? -1 : 1;
    const columns = this.groups[bucket].columns;
    const column = Math.floor(place / ROWS) + side;
    const row = place % ROWS;
    if (column >= 0 && column < columns) return this.#inColumn(bucket, column, row);
    const next = neighbour(this.counts, bucket, side);
    return next === null ? { bucket, place } : this.#inColumn(next, side > 0 ? 0 : this.groups[next].columns - 1, row);
  }

  #inColumn(bucket, column, row) {
    return { bucket, place: Math.min(column * ROWS + row, this.counts[bucket] - 1) };
  }
}

/** One row a bucket, one upright tick a session. */
class RowLayout {
  narrow = true;
  inBlocks = true;
  constructor(counts, width) {
    this.counts = counts;
    this.left = SIDE.label;
    this.right = width;
    this.down = SIDE.row;
    const most = Math.max(1, ...counts);
    const pitch = Math.min(SIDE.tick, (width - SIDE.label - SIDE.count) / most);
    // Whole pixels as long as there are any to give.
    this.pitch = pitch >= 1 ? Math.floor(pitch) : pitch;
  }

  cell(bucket, place) {
    const x = this.left + place * this.pitch;
    return { x, y: TOP + bucket * this.down, width: Math.max(1, this.pitch - 1), height: this.down };
  }

  name(bucket) {
    return { x: 0, y: TOP + bucket * this.down, width: this.right };
  }

  at(x, y) {
    const bucket = Math.floor((y - TOP) / this.down);
    const place = Math.floor((x - this.left) / this.pitch);
    const isThere = bucket >= 0 && bucket < BUCKETS.length && place >= 0 && place < this.counts[bucket];
    return isThere ? { bucket, place } : null;
  }

  step({ bucket, place }, key) {
    const side = key === "ArrowLeft" || key === "ArrowUp" ? -1 : 1;
    const next = place + side;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      return next >= 0 && next < this.counts[bucket] ? { bucket, place: next } : { bucket, place };
    }
    const other = neighbour(this.counts, bucket, side);
    return other === null ? { bucket, place } : { bucket: other, place: Math.min(place, this.counts[other] - 1) };
  }
}

/** The next bucket on a side that has sessions; null: none. */
export function neighbour(counts, bucket, side) {
  for (let b = bucket + side; b >= 0 && b < counts.length; b += side) if (counts[b] > 0) return b;
  return null;
}

/** The widest pitch of columns that fits, by halving what is not known. */
function widestPitch(fits) {
  if (fits(WIDEST_COLUMN)) return WIDEST_COLUMN;
  let [low, high] = [0, WIDEST_COLUMN];
  for (let i = 0; i < 24; i++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function sum(list) {
  return list.reduce((total, n) => total + n, 0);
}
