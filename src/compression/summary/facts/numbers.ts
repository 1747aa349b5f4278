import type { CallResult, FactFinder, Sentence } from "./finder.ts";
import { lastDistinct, shortened } from "./phrase.ts";

const MOST = 24;
/** Characters of a result in which its totals are looked for: the beginning and the end. */
const HEAD = 600;
const TAIL = 2_400;
const LONGEST = 160;
const LONGEST_LABEL = 60;

/** Lines of totals: tests run, passed and failed, coverage, errors found, time and size. */
const TOTAL =
  /^(?=[^\n]{0,300}\d)[^\n]{0,300}?(?:\b\d[\d,]*\s+(?:tests?\s+)?(?:passed|passing|failed|failing|failures?|errors?|skipped|warnings?|problems?|examples?|assertions?|suites?|vulnerabilit(?:y|ies)|files? changed|rows?\b)|\bRan \d+ tests?|\bTests?:\s+\d|\btest result:|\bcoverage\b[^\n]{0,40}\d|\b(?:failures|errors|skipped)=\d|\bTOTAL\b[^\n]*\d%)[^\n]{0,200}$/gim;
/** `numpy 1.26.4`, `Python 3.12.9`, `v2.0.1`: a short line that is a version. */
const VERSION = /^(?:[\w.@/+-]{1,40}[ @=]{1,2})?v?\d{1,4}\.\d{1,4}[\w.+-]{0,40}$/;

/** A number that means something: with a unit or a sign of money, with decimals, of three digits and more, or an id. */
const FIGURE =
  /[$€£¥]\s?\d|\d\s?(?:%|ms\b|s\b|sec|min|hours?|days?|[kKMG]i?B\b|px\b)|\b\d+\.\d+|\b\d{1,3}(?:,\d{3})+\b|\b\d{3,}\b|#\w*\d{3,}|\b(?=[A-Za-z-]*\d)(?=\w*[A-Z])[A-Z\d]{5,}\b/;
/** Numbers that count the agent's own steps. */
const OWN_STEP = /^\W*\d+[:.)\s]|^(?:phase|step|part|section)\s*\d/i;

/** Where the agent stands in a file, and what it means to do: neither is a figure. */
const LINE_NUMBER = /\b(?:at|lines?|L)\s?~?\d+(?:\s?(?:[-–,:]|to|and)\s?\d+)*/gi;
const INTENDS = /\?$|^(?:let(?:'s| me)|(?:now )?I(?:'ll| will| need to| should| want to))\b/i;

/** Figures that are worth keeping: totals and versions that results report, and sentences of the agent with a number. */
export class NumberFinder implements FactFinder {
  /** The last total by call: a later run of the same replaces it. */
  readonly #totals = new Map<string, string>();
  readonly #told: string[] = [];

  sentence({ text, kind }: Sentence): void {
    if (kind === "heading" || text.length > 400 || !/\d/.test(text) || OWN_STEP.test(text) || text.endsWith(":"))
      return;
    if (INTENDS.test(text) || !FIGURE.test(text.replace(LINE_NUMBER, ""))) return;
    this.#told.push(shortened(text, LONGEST));
    if (this.#told.length > 1_024) this.#told.splice(0, 512);
  }

  result({ call, text }: CallResult): void {
    const key = call?.key ?? "";
    // What an editor or a search shows is the text of a file, and its numbers are those of lines.
    if (call !== null && (call.onlyLooks || (call.files.length > 0 && !call.isCommand))) return;
    const total = totalOf(text);
    if (total === null) return;
    this.#totals.delete(key);
    this.#totals.set(
      key,
      call === null ? total : `\`${shortened(call.label, LONGEST_LABEL).replaceAll("`", "'")}\`: ${total}`,
    );
  }

  facts(): { numbers: string[] } {
    const totals = [...this.#totals.values()].slice(-MOST / 3);
    return { numbers: [...lastDistinct(this.#told, MOST - totals.length), ...totals] };
  }
}

function totalOf(text: string): string | null {
  const end = text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
  if (text.length < 200) {
    const lines = text.trim().split("\n").slice(0, 6);
    const version = lines.findLast((line) => VERSION.test(line.trim()));
    if (version !== undefined) return version.trim();
  }
  const found = [...end.matchAll(TOTAL)]
    .map(([line]) => line.replace(/^[\s=#*-]+|[\s=#*-]+$/g, ""))
    .filter((line) => line !== "");
  return found.length === 0 ? null : shortened([...new Set(found.slice(-2))].join("; "), LONGEST);
}
