import type { Sentence } from "./finder.ts";

/** Characters of one message that are read: its beginning and its end. */
const HEAD = 16_384;
const TAIL = 16_384;

const HEADING = /^\s{0,3}(?:#{1,6}\s+(.+?)[\s#]*|\*\*([^*]{3,80})\*\*:?)$/;
const BOX = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+\[([ xX~✓✔-]?)\]\s+(.+)$/;
const BULLET = /^\s*(?:[-*+•–]|\d{1,3}[.)])\s+(.+)$/;

/** Marks that agents begin a message with. */
const LABEL = /^\s*(?:THOUGHT|Thought|DISCUSSION|Reasoning|Analysis|Action)\s*:\s*/;

/** A line that is code, a table or a quotation and no words of the agent. */
const NOT_WORDS =
  /^\s*(?:[|>]|[{}[\]();]+\s*$|<\/?[a-z]|(?:def|class|import|from|return|const|let|var|function|if|for|while)\b[^.]*[:;({]\s*$)/;

/** Where one sentence ends and another begins. */
const SENTENCE_END = /[.!?]["'`)*]{0,2}\s+(?=["'`(*]{0,2}[\p{Lu}\p{N}`])/gu;

/** Ends that are none: abbreviations and single letters. */
const NO_END = /(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no|fig|al|Mr|Mrs|Ms|Dr|St)|\b[A-Za-z])\.$/;

/** Shorter texts say nothing by themselves. */
const SHORTEST = 8;

/**
 * Reads what an agent said: each sentence, list item and heading of a text, without code fences, tables and
 * quotations. The middle of a very long text is left out.
 */
export function readProse(text: string, emit: (sentence: Sentence) => void): void {
  const read = text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
  let fenced = false;
  let opens = true;
  const tell = (found: string, kind: Sentence["kind"]): void => {
    const words = found.trim();
    if (words.length < SHORTEST) return;
    emit({ text: words, kind, opens });
    opens = false;
  };
  for (const line of read.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
    } else if (!fenced && line.length > 2) {
      readLine(line.replace(LABEL, ""), tell);
    }
  }
}

function readLine(line: string, tell: (text: string, kind: Sentence["kind"]) => void): void {
  const heading = HEADING.exec(line);
  const box = heading === null ? BOX.exec(line) : null;
  const bullet = heading === null && box === null ? BULLET.exec(line) : null;
  if (heading !== null) tell(heading[1] ?? heading[2] ?? "", "heading");
  else if (box !== null) tell(box[2] ?? "", /[xX✓✔]/.test(box[1] ?? "") ? "ticked_box" : "open_box");
  else if (bullet !== null) tell(bullet[1] ?? "", "item");
  else if (!NOT_WORDS.test(line)) readSentences(line, tell);
}

function readSentences(line: string, tell: (text: string, kind: Sentence["kind"]) => void): void {
  let start = 0;
  for (const end of line.matchAll(SENTENCE_END)) {
    const stop = end.index + end[0].trimEnd().length;
    if (NO_END.test(line.slice(Math.max(start, stop - 12), stop))) continue;
    tell(line.slice(start, stop), "sentence");
    start = end.index + end[0].length;
  }
  tell(line.slice(start), "sentence");
}
