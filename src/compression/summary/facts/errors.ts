import type { Call } from "./call.ts";
import type { CallResult, FactFinder } from "./finder.ts";
import { shortened } from "./phrase.ts";

/** Failing calls that are told at most. */
const MOST = 16;
/** Lines of one result, and characters of a line. */
const MOST_LINES = 5;
const LONGEST_LINE = 240;
/** What a call shows that only looks is a complaint only if it is short. */
const SHORT_COMPLAINT = 600;
/** Characters of a result that are read: its beginning and its end. */
const HEAD = 32_768;
const TAIL = 32_768;

/** No text without one of these reports an error. */
const SIGN =
  /error|exception|fail|fatal|panic|traceback|denied|not found|no such|cannot|can't|unable|invalid|refused|timed out|abort|segmentation|not ok|✗|✕|✘|undefined reference|unresolved|ERR!/i;

/** The last line of a traceback: `ValueError: …`, `pkg.mod.SomeException`, also behind pytest's `E`. */
const EXCEPTION =
  /^(?:E\s+)?(?:Uncaught |Caused by: |Exception in thread "[^"\n]{1,60}" )?(?:[A-Za-z_$][\w$]*(?:\.|::))*[A-Z][\w$]*(?:Error|Exception|Failure|Warning|Interrupt|Exit|Panic|Timeout|DoesNotExist|Refused)(?:\s?\[[\w]+\])?(?::\s.*|\s*)$/;
const FAILED_TEST =
  /^(?:(?:FAILED|ERROR)\s+[\w./-]+(?:::|\.\w+(?:\s|$)).*|(?:FAIL|ERROR):\s+\S.*|\s*--- FAIL: .*|FAIL\s+\S+.*|\s*not ok \d+.*|test \S+ \.\.\. FAILED|\s{0,6}[✗✕✘×●]\s+\S.*|\s+\d+\) [^\n]{3,}|\S[^\n]{0,200} (?:FAILED|FAILURE)(?:\s*\[.*\])?)$/;
/** A compiler's or linter's line, and what programs put before their complaint. */
const COMPLAINT =
  /^(?:\S[^\s:]{0,200}(?::\d+(?::\d+)?:?|\(\d+(?:,\d+)?\):)\s+(?:fatal |internal )?(?:error|TS\d+)\b.*|\s{0,2}(?:error|fatal|panic|fatal error|npm ERR!|ERR!)(?:\[\w+\])?[: ]\s?\S.*|-?\s?[EF]\d{3,4}\s.*|.{0,120}?:\s(?:command not found|No such file or directory|Permission denied|not found|cannot (?:access|open|stat)\b.*|Is a directory|Connection refused).*|Segmentation fault.*|Killed|.*\b(?:undefined reference to|unresolved external)\b.*|(?:[A-Z]\w+ )?Error: \S.*|\S{1,60}: error: .*)$/i;
/** The place of an error, told before it. */
const PLACE = /^\s+File "[^"\n]+", line \d+|^\S+\.\w{1,4}:\d+: (?:in |\w+(?:Error|Exception)$)|^\s+at .*:\d+/;

/** Lines of source, of listings and of searches. */
const QUOTED =
  /^\s*(?:\d+[:|\t-]|\d+\s{2,}|[>#*]|\/\/|\+ |- |"""|def |class |raise |except |throw |catch |return |if |assert )|^[\w./@+-]+[:-]\d+[:-](?!.*\berror\b)/;

/** A summary of tests without a failing one. */
const ALL_WELL = /\b0 fail|no (?:errors|failures|issues)|0 errors?\b/i;

/** What is known of a result beside its text. */
type Outcome = Pick<CallResult, "failed" | "isError"> & { readonly onlyLooks: boolean };

interface Failure {
  readonly call: Call | null;
  readonly label: string;
  readonly lines: readonly string[];
  resolved: boolean;
}

/**
 * Errors in the words of the results that report them, by failing call: the call, then the lines of the error as they
 * stand there. The latest and unresolved first. An error is resolved when the same call, or an edit of the same
 * file, went well afterwards, or failed in another way.
 */
export class ErrorFinder implements FactFinder {
  readonly #failures = new Map<string, Failure>();
  /** Labels of the calls whose last result was good. */
  readonly #good = new Set<string>();

  /** The labels of calls that went well at last: an earlier summary may still hold their errors. */
  get good(): ReadonlySet<string> {
    return this.#good;
  }

  result({ call, text, failed, isError }: CallResult): void {
    const key = call?.key ?? text.slice(0, 80);
    const lines = errorLines(text, { failed, isError, onlyLooks: call?.onlyLooks ?? false });
    const before = this.#failures.get(key);
    if (lines.length === 0) {
      if (call !== null && !failed) this.#good.add(call.label);
      if (before !== undefined && !failed) before.resolved = true;
      return;
    }
    this.#good.delete(call?.label ?? "");
    this.#failures.delete(key);
    this.#failures.set(key, { call, label: call?.label ?? "", lines, resolved: false });
  }

  facts(): { errors: string[] } {
    const latest = [...this.#failures.values()].reverse();
    const seen = new Set<string>();
    const found: string[] = [];
    for (const failure of [...latest.filter((each) => !each.resolved), ...latest.filter((each) => each.resolved)]) {
      const fresh = failure.lines.filter((line) => !seen.has(line));
      if (fresh.length === 0) continue;
      for (const line of fresh) seen.add(line);
      found.push(errorItem(failure.label, fresh, failure.resolved));
      if (found.length === MOST) break;
    }
    return { errors: found };
  }
}

/** The call of an error that a summary holds, and whether it was resolved; null when the item names none. */
export function errorSource(item: string): { readonly label: string; readonly resolved: boolean } | null {
  const found = /^`([^`\n]*)`( \(resolved\))?:\n/.exec(item);
  return found === null ? null : { label: found[1] ?? "", resolved: found[2] !== undefined };
}

/** An error as the summary has it: the call that failed, and below it the lines as they were printed. */
export function errorItem(label: string, lines: readonly string[], resolved: boolean): string {
  const state = resolved ? " (resolved)" : "";
  return label === ""
    ? `${lines.join("\n")}${state}`
    : [`\`${label.replaceAll("`", "'")}\`${state}:`, ...lines].join("\n");
}

function errorLines(text: string, { failed, isError, onlyLooks }: Outcome): string[] {
  if (onlyLooks && !isError && text.length > SHORT_COMPLAINT) return [];
  if (!failed && !SIGN.test(text)) return [];
  const read = text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;
  const lines = read.split("\n");
  const found = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    if (line.length < 4 || !SIGN.test(line) || line.length > 2_000) continue;
    const weight = weightOf(line, onlyLooks);
    if (weight > 0) found.set(cutLine(line), weight);
    if (weight === 3) addPlace(lines, at, found);
  }
  if (found.size === 0) return isError ? firstWords(lines) : [];
  if (!failed && [...found.values()].every((weight) => weight === 1) && ALL_WELL.test(text)) return [];
  return mostTelling(found);
}

/** 3: an exception, 2: a failing test, 1: a complaint; 0: no report of an error. */
function weightOf(line: string, onlyLooks: boolean): number {
  if (EXCEPTION.test(line)) return /Warning(?::|$)/.test(line.slice(0, 120)) ? 0 : 3;
  if (QUOTED.test(line)) return 0;
  if (!onlyLooks && FAILED_TEST.test(line)) return 2;
  return COMPLAINT.test(line) ? 1 : 0;
}

/** The innermost place that is told in the lines before an exception. */
function addPlace(lines: readonly string[], at: number, found: Map<string, number>): void {
  for (let before = at - 1; before >= Math.max(0, at - 4); before--) {
    const line = lines[before] as string;
    if (!PLACE.test(line)) continue;
    const exception = cutLine(lines[at] as string);
    found.delete(exception);
    found.set(cutLine(line.trim()), 2);
    found.set(exception, 3);
    return;
  }
}

/** Of many lines those of most weight, the last of equals, in the order in which they stood. */
function mostTelling(found: ReadonlyMap<string, number>): string[] {
  const ranked = [...found].map(([line, weight], at) => ({ line, weight, at }));
  ranked.sort((a, b) => b.weight - a.weight || b.at - a.at);
  return ranked
    .slice(0, MOST_LINES)
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => line);
}

/** What a call said that failed without a word that is known. */
function firstWords(lines: readonly string[]): string[] {
  const told = lines.filter((line) => /\p{L}/u.test(line) && !/^\s*<\/?[\w ]+>/.test(line));
  return told.slice(0, 2).map(cutLine);
}

function cutLine(line: string): string {
  return line.length <= LONGEST_LINE ? line.trim() : shortened(line, LONGEST_LINE);
}
