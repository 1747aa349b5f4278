/** Sentences of one text: what is longer is a document, of which the beginning and the end speak. */
const MOST = 400;
const LONGEST_TEXT = 40_000;
const SHORTEST = 12;
const LONGEST = 400;

const FENCE = /```[\s\S]*?(?:```|$)/g;
const MARKS =
  /^[\s>#*+\-–•]*(?:\[[ xX]\]\s*)?(?:\d{1,2}(?:\.\d{1,2})*(?:-\d{1,2}(?:\.\d{1,2})*)?[.)]?(?<=[.)]|\.\d{1,2})\s+)?(?:(?:THOUGHT|Thought|Plan|Analysis):\s*)?/;
const END = /(?<=[.!?])\s+(?=[\p{Lu}\p{N}"'`(*_])/u;

/**
 * Sentences that somebody says in a text, without what marks a list, a heading or code: code blocks are left out, and so
 * is what is too short to say something.
 */
export function sentencesOf(text: string): string[] {
  const read =
    text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT / 2)}\n${text.slice(-LONGEST_TEXT / 2)}`;
  const found: string[] = [];
  for (const line of read.replace(FENCE, "\n").split("\n")) {
    const said = line.replace(MARKS, "").trim();
    if (said.length < SHORTEST) continue;
    for (const sentence of said.split(END)) {
      if (sentence.length < SHORTEST) continue;
      found.push(sentence.slice(0, LONGEST));
      if (found.length >= MOST) return found;
    }
  }
  return found;
}
