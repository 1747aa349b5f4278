/** Rules of one message, and characters of a rule, at most. */
const MOST_RULES = 20;
const LONGEST_RULE = 300;
const SHORTEST_RULE = 8;
/** Characters of a message that are looked through: its beginning and its end, where people say what they want. */
const HEAD = 16_384;
const TAIL = 16_384;
/** Lines in one paragraph from which it is a paste: a log, a listing, a file. */
const PASTED_LINES = 24;

/** Words that make a sentence a rule. */
const RULE =
  /\b(?:must(?:n['’]t)?|never|always|do(?:es)? not|don['’]t|shall(?: not)?|should(?: not|n['’]t)|may not|can ?not be|not allowed|no more than|at most|at least|no later than|only|avoid|make sure|be sure|ensure|required?|requires|mandatory|forbidden|prohibited|under no circumstances|without (?:\w+ing|any|my|asking)|refrain|stick to|keep (?:the|it|all|your|to)|leave .{1,60}(?:alone|untouched|unchanged|as (?:is|it is|they are)))\b/i;

/** The same words where they tell of something, and order nothing. */
const TELLS =
  /\b(?:I|it|they|he|she|we|this|that|there|which|who|code|bug|test|tests|function|method|error)\s+(?:really |still |just |also |currently )?(?:do(?:es)? not|don['’]t|never|always|only|must have)\b|\b(?:the|a|an) \w+ (?:never|always|only) \w+s\b|\b(?:if|when|why|because|since)\b[^,.]{0,60}\b(?:do(?:es)? not|don['’]t)\b|\b(?:not only|only (?:have|had|has|got|then|when I|problem|issue|thing)|the only|if only|never ?mind|at least (?:I|it|that|one of)|don['’]t (?:know|think|worry|understand|see|mind|have|remember))\b/i;

/** Wishes of the user in the first person are rules all the same. */
const WISHES =
  /\bI (?:do not|don['’]t|never|only|always) (?:want|wish|like|need|accept)\b|\b(?:we|you) (?:never|always|only|do not|don['’]t|must|may not)\b/i;

/** Words that no rule is without: one look at most lines is enough. */
const SIGN =
  /must|never|always|not\b|n['’]t\b|shall|most\b|least\b|than\b|only|avoid|sure\b|ensure|requir|mandatory|forbidden|prohibited|circumstances|without|refrain|stick|keep|leave|later/i;

const FENCE = /^\s*(?:```|~~~)/;
const BULLET = /^\s*(?:[-*+•–]|\d{1,3}[.)]|[a-z]\))\s+(?:\[[ xX]?\]\s+)?/;

/** Quotations, logs, tables, stack traces and code. */
const QUOTED =
  /^\s*(?:>|\||at \S+ ?\(|File "|Traceback|[{}[\]<]|\$ |>>> |#!|\/\/|\/\*|(?:def|class|import|from|return|const|let|var|function|if|for|while|public|private|raise|assert)\b[^.]*[:;({]\s*$)|^\s*\[?\d{4}-\d\d-\d\d[T ]|^\s*\d\d:\d\d:\d\d|^\s*(?:\[?(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE|FATAL|CRITICAL)\b)|^(?: {4}|\t)\s*\S+.*[;{}()=]\s*$|^\S+:\d+:/;

/** Blocks of material that a prompt quotes: what it orders stands outside of them. */
const MATERIAL =
  /^\s*<(\/?)((?:\w+[_-])?(?:issue|pr|bug|log|logs|output|error|trace|traceback|document|documents|file|files|code|diff|patch|example|examples|context|data|paste|quote|email|transcript|stdout|stderr|description|content)(?:[_-]\w+)?)(?:\s[^>]*)?>/i;

/** Where one sentence ends and another begins. */
const SENTENCE_END = /[.!?]["'”’)\]]{0,2}\s+(?=["'“‘(]{0,2}[\p{Lu}\p{N}])/gu;

/**
 * The rules that a user's message states: sentences and list lines with words such as must, never, only or make
 * sure, each a verbatim piece of the message, in its order, each once. Questions, quotations, code, logs, long pastes
 * and blocks of quoted material are left alone. 20 rules of up to 300 characters at most.
 */
export function findRules(text: string): string[] {
  const found = new Set<string>();
  for (const paragraph of paragraphsOf(text)) {
    for (const sentence of sentencesOf(paragraph)) {
      if (isRule(sentence)) found.add(sentence);
      if (found.size === MOST_RULES) return [...found];
    }
  }
  return [...found];
}

function isRule(sentence: string): boolean {
  if (sentence.length < SHORTEST_RULE || sentence.length > LONGEST_RULE || sentence.endsWith("?")) return false;
  if (!SIGN.test(sentence) || !RULE.test(sentence)) return false;
  return !TELLS.test(sentence) || WISHES.test(sentence);
}

/** Lines of words that belong together, as they stand in the text; a list line begins a paragraph. */
function* paragraphsOf(text: string): Generator<string> {
  let paragraph: string[] = [];
  for (const line of wordLines(text)) {
    const begins = line === "" || BULLET.test(line) || !continues(paragraph.at(-1), line);
    if (begins && paragraph.length > 0) {
      if (paragraph.length < PASTED_LINES) yield paragraph.join("\n");
      paragraph = [];
    }
    if (line !== "") paragraph.push(line);
  }
  if (paragraph.length > 0 && paragraph.length < PASTED_LINES) yield paragraph.join("\n");
}

/** A line that was broken for its width goes on in the next, which begins small. */
function continues(before: string | undefined, line: string): boolean {
  return before !== undefined && !/[.!?:;]\s*$/.test(before) && /^\s*[\p{Ll}(`"']/u.test(line);
}

/** Lines that may hold a rule; empty ones for all others, so that nothing is joined over them. */
function* wordLines(text: string): Generator<string> {
  let fenced = false;
  let material: string | null = null;
  for (const line of readPart(text)) {
    const tag = MATERIAL.exec(line);
    const name = (tag?.[2] ?? "").toLowerCase();
    if (FENCE.test(line)) {
      fenced = !fenced;
      yield "";
    } else if (material !== null) {
      if (line.toLowerCase().includes(`</${material}>`)) material = null;
      yield "";
    } else if (tag !== null && !fenced && tag[1] === "" && !line.toLowerCase().includes(`</${name}>`)) {
      material = name;
      yield "";
    } else {
      yield fenced || tag !== null || QUOTED.test(line) || line.trim() === "" || line.length > 4 * LONGEST_RULE
        ? ""
        : line;
    }
  }
}

/** Lines of the text; of a very long one those of its beginning and its end, where no line was cut. */
function readPart(text: string): string[] {
  if (text.length <= HEAD + TAIL) return text.split("\n");
  return [...text.slice(0, HEAD).split("\n").slice(0, -1), "", ...text.slice(-TAIL).split("\n").slice(1)];
}

/** The sentences of a paragraph, as they stand there without the bullet. */
function sentencesOf(paragraph: string): string[] {
  const bullet = BULLET.exec(paragraph)?.[0].length ?? 0;
  const sentences: string[] = [];
  let start = bullet;
  for (const end of paragraph.matchAll(SENTENCE_END)) {
    sentences.push(paragraph.slice(start, end.index + end[0].trimEnd().length));
    start = end.index + end[0].length;
  }
  sentences.push(paragraph.slice(start));
  return sentences.map((sentence) => sentence.trim());
}
