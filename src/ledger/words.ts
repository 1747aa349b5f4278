/** Characters of a line that are read for words. */
const MOST_READ = 600;
const WORD = /[A-Za-z_]\w{2,}/g;

/** Distinct words of three letters and more, in lower case. */
export function wordsOf(text: string): Set<string> {
  const words = new Set<string>();
  for (const [word] of text.slice(0, MOST_READ).matchAll(WORD)) words.add(word.toLowerCase());
  return words;
}
