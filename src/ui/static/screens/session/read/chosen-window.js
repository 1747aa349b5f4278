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

/** The window that is asked for, where there is one of that number, or the one of a marked turn, or the last. */
export function windowAsked(asked, turn, trend) {
  if (asked === "all") return 0;
  const isKnown = asked !== null && trend.windows.some(({ number }) => String(number) === asked);
  if (isKnown) return Number(asked);
  const marked = turn === null ? null : trend.at(turn);
  return marked?.window ?? trend.windows.at(-1)?.number ?? 0;
}
