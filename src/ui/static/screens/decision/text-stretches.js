/** Lines shown around a mark. */
const AROUND = 4;
/** Fewer lines than this between two marks are not worth folding. */
const LEAST_FOLD = 4;
/** Lines of a text without marks that are shown at first. */
const HEAD = 40;
/** Lines that a fold opens at once: the page stays quick however long the text is. */
export const OPENED_AT_ONCE = 200;

/** Kept lines that are in view at first: of a text that was kept nearly whole the rest waits in folds. */
const MOST_MARKS = 150;

/** The marks to show at first: all lines that were needed later, and the kept ones nearest to the first of these. */
export function marksToShow(kept, needed) {
  const start = Math.min(...needed);
  const near = [...kept];
  if (near.length > MOST_MARKS) {
    const distance = (line) => (needed.length === 0 ? line : Math.abs(line - start));
    near.sort((a, b) => distance(a) - distance(b));
  }
  return new Set([...needed, ...near.slice(0, MOST_MARKS)]);
}

/** The lines of a text as they are numbered everywhere: by line feeds, from 1; one at the end opens no further line. */
export function linesOf(text) {
  const lines = text.split("\n");
  if (lines.length > 1 && lines.at(-1) === "") lines.pop();
  return lines;
}

/**
 * Stretches of a text of `count` lines that cover it in order, without gaps: `{ from, to, isShown }`, lines from 1, both
 * ends included. Shown are the marked lines and a few around each; without marks, the beginning.
 */
export function stretchesOf(count, marked) {
  const numbers = [...marked].filter((line) => line >= 1 && line <= count).sort((a, b) => a - b);
  const shown = numbers.length === 0 ? [[1, Math.min(HEAD, count)]] : [];
  for (const line of numbers) {
    const from = Math.max(1, line - AROUND);
    const to = Math.min(count, line + AROUND);
    const last = shown.at(-1);
    if (last !== undefined && from - last[1] - 1 < LEAST_FOLD) last[1] = Math.max(last[1], to);
    else shown.push([from, to]);
  }
  const [first] = shown;
  if (first !== undefined && first[0] - 1 < LEAST_FOLD) first[0] = 1;
  const last = shown.at(-1);
  if (last !== undefined && count - last[1] < LEAST_FOLD) last[1] = count;
  return covering(shown, count);
}

function covering(shown, count) {
  const stretches = [];
  let next = 1;
  for (const [from, to] of shown) {
    if (from > next) stretches.push({ from: next, to: from - 1, isShown: false });
    stretches.push({ from, to, isShown: true });
    next = to + 1;
  }
  if (next <= count) stretches.push({ from: next, to: count, isShown: false });
  return stretches;
}
