/** What the words of a forecast take, px. */
const WORDS = 132;

/** The turns across a chart, which lanes below it share. Sizes in CSS pixels. */
export class TurnAxis {
  /** Fewer turns than these do not fill the chart: columns stay columns. */
  static LEAST = 16;

  constructor(width, { from, to, isCurrent }) {
    this.left = 44;
    this.right = width < 600 ? 18 : 118;
    this.from = from;
    this.to = to;
    const shown = to - from + 1;
    this.end = width - this.right;
    const across = Math.max(0, this.end - this.left);
    // Where growth leads is told in words: they need room beside the last turn.
    const room = width < 600 || across < 2 * WORDS ? 4 : (shown * WORDS) / (across - WORDS);
    this.ahead = isCurrent ? Math.max(4, Math.round(shown * 0.16), Math.ceil(room)) : 0.4;
    this.step = across / Math.max(TurnAxis.LEAST, shown + this.ahead);
  }

  /** Left edge of a turn's column. */
  x(turn) {
    return this.left + (turn - this.from) * this.step;
  }

  /** The turn under a point, within the range. */
  turnAt(x) {
    return Math.min(this.to, Math.max(this.from, this.from + Math.floor((x - this.left) / this.step)));
  }

  has(turn) {
    return turn >= this.from && turn <= this.to;
  }
}
