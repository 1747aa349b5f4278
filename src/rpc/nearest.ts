/** Longest word that is compared or quoted: what is longer is no slip of the pen. */
const MAX_WORD = 40;

/** Whether a name that a caller made up may be quoted back: an identifier, short. Anything else may be content. */
export function isQuotable(name: string): boolean {
  return name.length <= MAX_WORD && /^[A-Za-z_][\w.-]*$/.test(name);
}

/** The candidate within a third of the word's length in edits; null when none is that near. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length > MAX_WORD) return null;
  let best: string | null = null;
  let bestDistance = Math.floor(word.length / 3) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate.slice(0, MAX_WORD));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions and substitutions that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
