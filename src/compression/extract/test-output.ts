import type { Extractor } from "./extractor.ts";
import { hasWarning, isBlank, tellsExit } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { foldRepeats, type Piece, piecesOf } from "./pieces.ts";

const SAMPLED = 48_000;

/** Lines that only a test run prints. */
const RUN =
  /^=+ (?:test session starts|FAILURES|ERRORS|short test summary info|.{0,200}\b\d+ (?:passed|failed|error))|^Ran \d+ tests? in |^(?:FAIL|ERROR): \w+|^[ \t]{0,8}Tests?:? {1,8}\d+ |^[ \t]{0,8}(?:Test Files|Test Suites:) {1,8}\d|^--- (?:FAIL|PASS|SKIP): |^=== RUN |^ok {1,4}\t?\S+\t|^test result: |^running \d+ tests?$|^test \S+ \.\.\. |^[ \t]{0,8}\d+ passing\b|^# (?:tests|pass|fail) \d|^TAP version|^not ok \d|^(?:PASS|FAIL) {1,4}\S+\.\w+/m;

const SUMMARY =
  /^=+ .{0,200}\b\d+ (?:passed|failed|errors?|skipped|deselected)|^=+ no tests ran|^Ran \d+ tests? in |^(?:OK|FAILED)(?: \(.{1,200}\))?$|^\s*(?:Tests?|Test Files|Test Suites|Snapshots|Suites):? {1,8}\d|^test result: |^\s{0,8}\d+ (?:passing|failing|pending)\b|^# (?:tests|pass|fail|skipped|todo) \d|^(?:ok|FAIL|\?) {0,4}\t|^(?:PASS|FAIL)$|^collected \d|^\d+ (?:passed|failed)\b|^Found \d+ test/;
const FAILED =
  /^(?:FAILED|ERROR) \S+|^(?:FAIL|ERROR): |^\s*--- FAIL: |^test \S.{0,300} \.\.\. FAILED|^\s*(?:[✗✘×✕]|not ok) |^\s*● |^FAIL {1,4}\S|^.{1,300} (?:FAILED|ERROR)(?:\s+\[ {0,3}\d+%\])?$|^_{3,} .{1,300} _{3,}$|^---- .{1,300} stdout ----$|^.{1,300} \.\.\. (?:FAIL|ERROR)$/;
const PASSED =
  /^.{1,300} (?:PASSED|SKIPPED|XFAIL)\b.{0,40}$|^test \S.{0,300} \.\.\. (?:ok|ignored)|^\s*(?:[✓✔√]|ok \d+) |^\s*--- (?:PASS|SKIP): |^=== (?:RUN|PAUSE|CONT|NAME) |^.{1,300} \.\.\. ok$|^PASS {1,4}\S|^\S.{0,200} [.sxFE]{1,200}\s{0,20}(?:\[ {0,3}\d+%\])?$/;
const ASSERTION =
  /^E {1,20}\S|^>|^\s*(?:Expected|Received|expected|actual|got|want|left|right)\b.{0,20}[:=]|\b(?:Assertion\w*|panicked at|AssertionError)\b|^\s*[\w.]{1,200}(?:Error|Exception)\b|^\s{0,12}[-+] (?:Expected|Received|\S)/;
const PLACE = /^\s*(?:File "[^"\n]{1,300}", line \d|at \S|❯ |\S{1,300}\.\w{1,8}:\d{1,7}:)/;
const FAILURES_BEGIN =
  /^=+ (?:FAILURES|ERRORS) =+|^={20,}$|^_{3,} .{1,300} _{3,}$|^\s*--- FAIL: |^\s*● |^failures:$|^---- .{1,300} stdout ----$|^\s*(?:FAIL|ERROR): |^[⎯─]{2,}.{0,40}Failed|^Traceback /;
const FAILURES_END =
  /^=+ (?!FAILURES|ERRORS).{1,200} =+|^-{20,}$|^Ran \d+ tests? in |^test result: |^\s*--- PASS: |^=== RUN |^ok {1,4}\t/;
const WARNINGS_BEGIN = /^=+ warnings summary/;

/** Output of test runs: counts and failures first, failures verbatim; what passed is counted. */
export const testOutput: Extractor = {
  name: "test_output",
  recognises({ text }) {
    return RUN.test(text.slice(0, SAMPLED)) || (text.length > SAMPLED && RUN.test(text.slice(-SAMPLED / 4)));
  },
  extract(text, options) {
    const pieces = foldRepeats(piecesOf(text));
    const passed = pieces.map((piece) => PASSED.test(piece.text.slice(0, 400)));
    const nameGap = (from: number, to: number) => {
      const count = passed.slice(from, to).filter(Boolean).length;
      return count > 0 ? `${count} of passing tests` : "";
    };
    return fitOutline(text, { pieces, weights: weightsOf(pieces, passed), nameGap }, options);
  },
};

function weightsOf(pieces: readonly Piece[], passed: readonly boolean[]): Float64Array {
  let inFailure = false;
  let inWarnings = false;
  let failures = 0;
  return Float64Array.from(pieces, ({ text }, index) => {
    const line = text.slice(0, 400);
    if (FAILURES_BEGIN.test(line)) {
      inFailure = true;
      inWarnings = false;
      failures++;
    } else if (FAILURES_END.test(line)) inFailure = false;
    if (WARNINGS_BEGIN.test(line)) inWarnings = true;
    else if (/^=+ /.test(line)) inWarnings = false;

    if (isBlank(text)) return 0;
    if (SUMMARY.test(line)) return 1;
    if (FAILED.test(line)) return 0.95;
    if (passed[index]) return 0.02;
    // The first failures in full rather than the beginnings of all.
    const rank = inFailure ? Math.max(0, 0.2 - 0.02 * failures) : 0;
    if (inFailure) return (ASSERTION.test(line) ? 0.7 : PLACE.test(line) ? 0.5 : 0.4) + rank;
    if (tellsExit(text)) return 0.9;
    if (ASSERTION.test(line)) return 0.6;
    if (inWarnings) return 0.08;
    return hasWarning(text) ? 0.2 : index < 3 || index > pieces.length - 4 ? 0.5 : 0.15;
  });
}
