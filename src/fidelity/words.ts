const WORD = /[\p{L}\p{N}_]+/gu;

/** Words that say nothing about one task: left out of what a sentence is recognised by. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "the and for are was were been being has have had having not but you your our its this that these those with from into onto " +
    "will would shall should can could may might must than then there here their them they she his her him who whom which what " +
    "when where why how all any both each few more most other some such only own same too very just also now let lets use used " +
    "using about above after again against because before below between down during off once out over under until while because " +
    "does did doing done get got make made need needs want like look looks see seems since still see thought okay well ill ive " +
    "dont doesnt didnt isnt cant wont youre thats one two first next going know think sure please thank thanks yes"
  ).split(" "),
);

const SHORTEST = 3;

/** Longer words of letters are told apart by their beginning: a fold may bend them. */
const STEM = 6;

const QUOTES = /["'`´*\u2018-\u201f\u00ab\u00bb]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;

/**
 * A text as facts are compared in: compatible characters are one, lower case, no quotation marks or emphasis, one kind of
 * dash and of slash, one blank between words, numbers without thousands separators and closing zeros.
 */
export function normalised(text: string): string {
  let plain = text.normalize("NFKC").toLowerCase();
  // What is escaped within JSON reads as what it stands for.
  if (plain.includes("\\"))
    plain = plain
      .replace(/\\[nrt]/g, " ")
      .replace(/\\"/g, "")
      .replace(/\\+/g, "/");
  return plain
    .replace(QUOTES, "")
    .replace(DASHES, "-")
    .replace(/\s+/g, " ")
    .replace(/(\d),(?=\d{3}(?!\d))/g, "$1")
    .replace(/(\d)\.0+(?![\d.])/g, "$1");
}

/** Words of a text that carry its meaning, normalised, each once, in their order. */
export function contentWords(text: string): string[] {
  const found = new Set<string>();
  for (const [word] of normalised(text).matchAll(WORD)) {
    if (word.length >= SHORTEST && !STOP_WORDS.has(word)) found.add(word);
  }
  return [...found];
}

/** Words of a few characters of a sentence that carry its meaning, in lower case. */
export function wordsOfPhrase(phrase: string): string[] {
  return (phrase.toLowerCase().match(/\p{L}[\p{L}\p{N}_]{2,}/gu) ?? []).filter((word) => !STOP_WORDS.has(word));
}

/** What a normalised word is looked for by: the word, or where it is a longer one of letters its beginning. */
export function stemOf(word: string): string {
  return word.length > STEM && /^\p{L}+$/u.test(word) ? word.slice(0, STEM) : word;
}

/** Whether a word is a name rather than a word of the language. */
export function isName(word: string): boolean {
  return /[_$]|\p{L}\p{N}|\p{N}\p{L}|\p{Ll}\p{Lu}/u.test(word);
}

const IN_WORD = /[\p{L}\p{N}_]/u;
const DIGIT = /\p{N}/u;

/**
 * Where a fact stands in a text, both normalised, from `from` on: not inside a longer word or number. `isStem`: it may go
 * on. -1: nowhere.
 */
export function indexOfFact(text: string, fact: string, from = 0, isStem = false): number {
  for (let at = text.indexOf(fact, from); at >= 0; at = text.indexOf(fact, at + 1)) {
    if (begins(text, at, fact, isStem) && (isStem || ends(text, at + fact.length, fact))) return at;
  }
  return -1;
}

function begins(text: string, at: number, fact: string, isStem: boolean): boolean {
  if (at === 0 || !IN_WORD.test(fact.charAt(0))) return true;
  const before = text.charAt(at - 1);
  if (IN_WORD.test(before)) return false;
  if (isStem) return true;
  // A longer number, date or hyphenated name that ends with the fact is another one.
  if (before === "-") return !IN_WORD.test(text.charAt(at - 2));
  return !((before === "." || before === ",") && DIGIT.test(fact.charAt(0)) && DIGIT.test(text.charAt(at - 2)));
}

function ends(text: string, at: number, fact: string): boolean {
  if (at >= text.length || !IN_WORD.test(fact.charAt(fact.length - 1))) return true;
  const after = text.charAt(at);
  if (IN_WORD.test(after)) return false;
  return !(after === "." && DIGIT.test(fact.charAt(fact.length - 1)) && DIGIT.test(text.charAt(at + 1)));
}
