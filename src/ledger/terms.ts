/** Characters of a line that are read for terms. */
const MOST_READ = 600;
const SHORTEST = 3;
const ASCII = /^[\x00-\x7f]*$/;
/** Parts of identifiers are terms of their own: `parseHTTPReply` and `http_reply` share two. */
const ASCII_TERM = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;
const TERM = /\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\p{Lo}+/gu;

/** Distinct words and parts of identifiers of three letters and more, in lower case. */
export function termsOf(text: string): Set<string> {
  const head = text.slice(0, MOST_READ);
  const terms = new Set<string>();
  for (const [term] of head.matchAll(ASCII.test(head) ? ASCII_TERM : TERM)) {
    if (term.length >= SHORTEST) terms.add(term.toLowerCase());
  }
  return terms;
}
