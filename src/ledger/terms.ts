/** Characters of a line that are read for terms. */
const MOST_READ = 600;
const SHORTEST = 3;
const ASCII = /^[\x00-\x7f]*$/;
/** Parts of identifiers are terms of their own: `parseHTTPReply` and `http_reply` share two. */
const ASCII_TERM = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+`;
const TERM = new RegExp(String.raw`${UNSPACED}|\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|[\p{Lo}\p{M}]+`, "gu");
const IS_UNSPACED = new RegExp(`^${UNSPACED}$`, "u");

/**
 * Distinct words and parts of identifiers of three letters and more, in lower case. Scripts that put no blanks between
 * words give every two characters that follow one another.
 */
export function termsOf(text: string): Set<string> {
  const head = text.slice(0, MOST_READ);
  const terms = new Set<string>();
  const ascii = ASCII.test(head);
  for (const [term] of head.matchAll(ascii ? ASCII_TERM : TERM)) {
    if (!ascii && IS_UNSPACED.test(term)) for (const pair of pairsOf(term)) terms.add(pair);
    else if (term.length >= SHORTEST) terms.add(term.toLowerCase());
  }
  return terms;
}

function* pairsOf(text: string): Generator<string> {
  const characters = [...text];
  for (let at = 0; at + 1 < characters.length; at++) yield `${characters[at]}${characters[at + 1]}`;
}
