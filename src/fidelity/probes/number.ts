import { type Candidate, type ProbeKind, standing } from "../candidate.ts";
import type { ReadOriginal } from "../original.ts";
import { normalised, wordsOfPhrase } from "../words.ts";

const NUMBER = /(?<![\p{L}\p{N}_./#-]|\d,)[$€£]?(\d+(?:,\d{3})*(?:\.\d+)?)(?![\p{L}\p{N}_/]|[.-]\p{L}|\.\d)/gu;
/** Characters between a number and the noun that it counts. */
const NEAR = 60;

/** A number that stands for itself: of four digits and more, or with two decimals. */
const DISTINCT = /^\d{4,}$|^\d+\.\d{2,}$|^\d{3,}\.\d+$/;
/** Years stand in every date. */
const YEAR = /^(?:19|20)\d\d$/;

/** What is numbered rather than counted. */
const ORDERED = /^(?:step|phase|part|section|option|question|example|issue|point|case)s?$/;

/** How results sum up. */
const SUMMARY =
  /\b(\d[\d,]*) (passed|failed|failures?|errors?|skipped|tests?|matches|results?|files? changed|insertions?|deletions?|rows?|items?|warnings?|issues?|total)\b/gi;
const TOTAL =
  /\b(total\w*|sum|count|average|mean|amount|balance|elapsed|duration)\b"?\s*[:=]\s*"?[$€£]?(\d[\d,]*(?:\.\d+)?)/gi;
const TAIL = 2_000;

const FROM_RESULT = 0.75;
const STATED = 1;
const MONEY = 0.5;

export const number: ProbeKind = {
  type: "number",
  candidates: (original) => [...stated(original), ...summedUp(original)],
};

function stated(original: ReadOriginal): Candidate[] {
  return original.said.flatMap(({ text, passage, at }) => {
    const found = [...text.matchAll(NUMBER)];
    return found.slice(0, 4).flatMap((match) => {
      const value = match[1] ?? "";
      const noun = nounNear(text, match.index, match[0].length);
      const salience = STATED + (/[$€£]/.test(match[0]) ? MONEY : 0);
      return probeOf(original, { value, noun, passage, at, salience });
    });
  });
}

function summedUp(original: ReadOriginal): Candidate[] {
  return original.results.flatMap(({ passage, at }) => {
    const tail = passage.text.slice(-TAIL);
    const counted = [...tail.matchAll(SUMMARY)].map(([, value = "", noun = ""]) => ({ value, noun }));
    const totals = [...tail.matchAll(TOTAL)].map(([, noun = "", value = ""]) => ({ value, noun }));
    return [...counted.slice(-2), ...totals.slice(-2)].flatMap(({ value, noun }) =>
      probeOf(original, { value, noun: noun.toLowerCase(), passage, at, salience: FROM_RESULT }),
    );
  });
}

interface Figure extends Pick<ReadOriginal["said"][number], "passage" | "at"> {
  readonly value: string;
  readonly noun: string | null;
  readonly salience: number;
}

function probeOf(original: ReadOriginal, { value, noun, passage, at, salience }: Figure): Candidate[] {
  const plain = normalised(value);
  const isDistinct = DISTINCT.test(plain);
  if (YEAR.test(plain)) return [];
  if (!isDistinct && (noun === null || plain === "0" || plain === "1")) return [];
  const facts = isDistinct || noun === null ? [plain] : [plain, noun];
  return [
    {
      question:
        noun === null ? `What is the figure that begins with ${plain.charAt(0)}?` : `How many, or how much: ${noun}?`,
      facts,
      within: facts.length > 1 ? NEAR : null,
      share: 1,
      blockId: passage.blockId,
      turn: passage.turn,
      salience: salience + (isDistinct ? 0.25 : 0) + standing(original, [plain], at),
      at,
    },
  ];
}

/** The content word next to a number: the one behind it, else the last before it. */
function nounNear(text: string, at: number, length: number): string | null {
  const behind = text.slice(at + length, at + length + NEAR / 2).split(/[.;:!?]/, 1)[0] ?? "";
  const noun = wordsOfPhrase(behind).find(isCounted);
  return noun ?? wordsOfPhrase(text.slice(Math.max(0, at - NEAR / 2), at)).findLast(isCounted) ?? null;
}

function isCounted(word: string): boolean {
  return !ORDERED.test(word);
}
