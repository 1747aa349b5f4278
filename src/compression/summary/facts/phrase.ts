/** Characters of a fact at most. */
const LONGEST = 280;

/** A text on one line, cut at a word where it is longer than `longest` characters. */
export function shortened(text: string, longest = LONGEST): string {
  const line = text
    .slice(0, longest * 4)
    .replace(/\s+/g, " ")
    .trim();
  if (line.length <= longest) return line;
  const cut = line.slice(0, longest - 1);
  const blank = cut.lastIndexOf(" ");
  return `${(blank > longest * 0.7 ? cut.slice(0, blank) : withoutHalf(cut)).trimEnd()}…`;
}

/** A cut must not leave half a surrogate pair. */
function withoutHalf(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last < 0xdc00 ? text.slice(0, -1) : text;
}

/** Lower case, marks and blanks gone: equal for texts that say the same in the same words. */
export function factKey(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}#$%/._-]+/gu, " ")
    .replace(/[.\s]+(?=\s|$)/g, " ")
    .trim();
}

/** The last `most` texts that differ by their key: the newest wording of each, at the place of the newest. */
export function lastDistinct(texts: readonly string[], most: number): string[] {
  const found = new Map<string, string>();
  for (let at = texts.length - 1; at >= 0 && found.size < most; at--) {
    const text = texts[at] as string;
    const key = factKey(text);
    if (key !== "" && !found.has(key)) found.set(key, text);
  }
  return [...found.values()].reverse();
}
