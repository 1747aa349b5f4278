import { type Candidate, type ProbeKind, standing } from "../candidate.ts";
import type { ReadOriginal } from "../original.ts";
import { contentWords, isName, normalised } from "../words.ts";

/** Characters of an error that must stand as they were: what is behind them is particulars. */
const EXACT = 110;
const SHORTEST = 12;
const LONGEST_LINE = 1_000;
/** Lines of one result that are looked at, from its end, which is where errors stand. */
const LINES = 400;
const A_RESULT = 3;

/** A result without one of these holds no error: saves the walk. */
const SIGN = /error|exception|fail|fatal|panic|not found|no such|denied|cannot|refused|time(?:d )?out|invalid/i;

/** How tools say that something went wrong; the match begins where the message does. */
const ERRORS: readonly RegExp[] = [
  /(?:^|(?<=^E\s+)|(?<=\s))(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Failure|Exit|Interrupt|DoesNotExist)\b(?::\s*\S.*|$)/,
  /(?:^|(?<=[\s:>\]"]))(?:error|fatal|panic|failure)(?:\[\w+\]| TS\d+| \w{1,8})?: \S.*/i,
  /^(?:FAILED|ERROR|FAIL:) \S.*/,
  /^\S.*\b(?:command not found|no such file or directory|permission denied|cannot find|is not defined|segmentation fault|connection refused|timed out)\b.*/i,
];

/** Source and listings speak of errors that did not happen. */
const SOURCE =
  /^\s*(?:\d+[\t|:)]|[+\-#*/>@]|raise |throw |except |catch|def |class |return |assert |if |with |from |import |print|self\.|\w+ = |\w+\()|\b(?:raise|throw new|except|catch)\b[ (]|^\S+\.(?:py|ts|js|go|rs|java|c|h|txt|rst|md):/;

export const error: ProbeKind = {
  type: "error",
  candidates(original) {
    const seen = new Map<string, Candidate>();
    let found = 0;
    for (const { passage, at } of original.results) {
      for (const text of errorsIn(passage.text, passage.isError)) {
        const fact = text.slice(0, EXACT).trim();
        const key = normalised(fact);
        const candidate = {
          question: "Which error came up, word for word?",
          facts: [cutAtWord(fact, text)],
          within: null,
          share: 1,
          blockId: passage.blockId,
          turn: passage.turn,
          // One that comes again has not been solved.
          salience: (seen.has(key) ? 1 : 0.5) + standing(original, namesIn(text), at) + found++ / 1e6,
          at,
        };
        seen.set(key, candidate);
      }
    }
    return withLast([...seen.values()], original);
  },
};

/** The last error is asked for in any case. */
function withLast(candidates: readonly Candidate[], { passages }: ReadOriginal): Candidate[] {
  const last = candidates.reduce((most, { at }) => Math.max(most, at), -1);
  return candidates.map((each) => (each.at === last ? { ...each, salience: each.salience + passages.length } : each));
}

function errorsIn(text: string, isError: boolean): string[] {
  if (!isError && !SIGN.test(text)) return [];
  const lines = text.split("\n").slice(-LINES);
  const found = lines.flatMap((line) => errorOf(line) ?? []);
  if (found.length > 0) return [...new Set(found)].slice(-A_RESULT);
  const first = isError ? lines.find((line) => line.trim().length >= SHORTEST) : undefined;
  return first === undefined ? [] : [first.trim()];
}

function errorOf(line: string): string | null {
  if (line.length > LONGEST_LINE || !SIGN.test(line) || SOURCE.test(line)) return null;
  for (const pattern of ERRORS) {
    const text = pattern.exec(line)?.[0].trim();
    if (text !== undefined && text.length >= SHORTEST) return text;
  }
  return null;
}

function namesIn(text: string): string[] {
  const words = contentWords(text);
  const names = (text.match(/[\p{L}\p{N}_]+/gu) ?? []).filter((word) => word.length > 3 && isName(word));
  return names.length > 0 ? names.slice(0, 4) : words.slice(0, 2);
}

/** Half a word is another word. */
function cutAtWord(fact: string, whole: string): string {
  if (fact.length === whole.length || !/\w$/.test(fact) || !/^\w/.test(whole.slice(fact.length))) return fact;
  return fact.replace(/\s*\S+$/, "") || fact;
}
