/**
 * The turns that a choice of window shows: { key, from, to, max, isCurrent }; key 0 is all of them. A turn that begins
 * in one window and ends in the next belongs to the next.
 */
export function rangeOf(windows, turns, key) {
  const first = turns[0]?.turn ?? 1;
  const last = turns.at(-1)?.turn ?? 1;
  if (key === 0 || windows.length === 0) {
    return { key: 0, from: Math.max(1, first), to: last, max: windows.at(-1)?.max_tokens ?? null, isCurrent: true };
  }
  const window = windows.find(({ number }) => number === key) ?? windows.at(-1);
  const isCurrent = window === windows.at(-1);
  const own = turns.filter((turn) => turn.window === window.number);
  const from = own[0]?.turn ?? Math.max(1, window.from_turn);
  const to = own.at(-1)?.turn ?? Math.max(from, window.to_turn ?? last);
  return { key: window.number, from, to, max: window.max_tokens, isCurrent };
}

/** The window that an address asks for, or the one of a marked turn, or the last. */
export function windowAsked(query, trend) {
  const asked = query.get("window");
  if (asked === "all") return 0;
  if (asked !== null && /^\d+$/.test(asked)) return Number(asked);
  const turn = Number(query.get("turn") ?? Number.NaN);
  const marked = Number.isFinite(turn) ? trend.at(turn) : null;
  return marked?.window ?? trend.windows.at(-1)?.number ?? 0;
}
