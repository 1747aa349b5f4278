/** Components in the order in which they are stacked, from the ground up. */
export const STACK = ["system_prompt", "tool_definitions", "memory_injection", "message_history", "tool_results"];

/** Growths from which the slow end of the forecast is told. */
const RECENT_TURNS = 20;

/**
 * The session turn by turn: `turns`, oldest first, each { turn, window, zone, tokens, before, edited, components, growth }.
 * `tokens` is the size that the turn went on with, `before` what stood there before it was cut (null: it was not),
 * `edited` what edits changed it by (null: there were none), `growth` what else came since the turn before (null:
 * unknown). The turn before, `growth` and `edited` come to `tokens`.
 */
export class Trend {
  turns = [];
  windows = [];

  seed({ points, windows }) {
    this.turns = [];
    for (const point of points) this.#put(point, point.window_number ?? 1, point.components ?? {});
    this.windows = windows ?? windowsOf(this.turns);
  }

  /** A reading as its event tells it: our own counts by component, which are brought to the reading. */
  add(reading, window) {
    const last = this.turns.at(-1);
    if (last !== undefined && reading.turn < last.turn) return;
    this.#put(reading, window, scaled(reading.components ?? {}, reading.tokens));
  }

  at(turn) {
    return this.turns.findLast((known) => known.turn <= turn) ?? null;
  }

  /** The tenth percentile of the last turns' growth, tokens per turn, 0 at the least; null: no two turns are known. */
  slowGrowth() {
    const growths = this.turns
      .slice(-RECENT_TURNS)
      .flatMap(({ growth }) => (growth === null ? [] : [growth]))
      .sort((a, b) => a - b);
    return growths.length < 2 ? null : Math.max(0, growths[Math.floor(growths.length * 0.1)]);
  }

  #put({ turn, moment, tokens, zone }, window, components) {
    const last = this.turns.at(-1);
    if (last?.turn === turn) {
      const change = tokens - last.tokens;
      if (moment === "edit") last.edited = (last.edited ?? 0) + change;
      else if (last.growth !== null) last.growth += change;
      if (moment === "edit" && change < 0) last.before = Math.max(last.before ?? 0, last.tokens);
      Object.assign(last, { tokens, zone, components, window });
      return;
    }
    const growth = last === undefined ? null : tokens - last.tokens;
    this.turns.push({ turn, window, zone, tokens, before: null, edited: null, components, growth });
  }
}

/** The turns with the running one as it stands now: points are taken at a turn's start, and it goes on from there. */
export function withNow(turns, { turn, tokens, zone, component_tokens: components = {} }) {
  const last = turns.at(-1);
  if (last === undefined || last.turn !== turn || last.tokens === tokens) return turns;
  const growth = last.growth === null ? null : last.growth + tokens - last.tokens;
  return [...turns.slice(0, -1), { ...last, tokens, zone, growth, components: scaled(components, tokens) }];
}

/** Our own counts by component as the daemon tells them: shares of the size, in whole tokens by the largest remainders. */
function scaled(counts, tokens) {
  const sum = Object.values(counts).reduce((total, count) => total + count, 0);
  const scale = sum > 0 ? tokens / sum : 0;
  const shares = Object.entries(counts).map(([name, count]) => ({
    name,
    whole: Math.floor(count * scale),
    exact: count * scale,
  }));
  const left = sum > 0 ? tokens - shares.reduce((total, { whole }) => total + whole, 0) : 0;
  const first = new Set([...shares].sort((a, b) => b.exact - b.whole - (a.exact - a.whole)).slice(0, left));
  return Object.fromEntries(shares.map((share) => [share.name, share.whole + (first.has(share) ? 1 : 0)]));
}

function windowsOf(turns) {
  const windows = [];
  for (const { turn, window } of turns) {
    const last = windows.at(-1);
    if (last?.number === window) continue;
    if (last !== undefined) last.to_turn = turn;
    windows.push({ number: window, from_turn: turn, to_turn: null, reason: null, cause: null, max_tokens: null });
  }
  return windows;
}

/** Turns as at most `most` columns: the highest of each stretch stands for it, and an edit within it is kept. */
export function columnsOf(turns, most) {
  if (turns.length <= most) return turns.map((turn) => ({ ...turn, from: turn.turn, to: turn.turn }));
  const size = turns.length / most;
  const columns = [];
  for (let i = 0; i < most; i++) {
    const stretch = turns.slice(Math.floor(i * size), Math.floor((i + 1) * size));
    const highest = stretch.reduce((a, b) => (b.tokens > a.tokens ? b : a));
    const deepest = stretch.filter(({ before }) => before !== null).sort((a, b) => cut(b) - cut(a))[0];
    const shown = deepest ?? highest;
    columns.push({ ...shown, from: stretch[0].turn, to: stretch.at(-1).turn });
  }
  return columns;
}

function cut({ edited }) {
  return -edited;
}
