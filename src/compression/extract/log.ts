import type { Passage } from "../../model/passage.ts";
import type { Extractor } from "./extractor.ts";
import { hasError, hasWarning, isBlank, sampleOf, shareOf, tellsExit } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { foldRepeats, type Piece, piecesOf, shapeOf } from "./pieces.ts";
import { edgeWeight } from "./plain.ts";

const LEAST_LINES = 6;
/** Share of lines with a time or a level that makes a log, and where the call asks for one. */
const SHARE = 0.4;
const SHARE_ASKED = 0.2;
/** Share of lines that repeat a shape already seen, by which output counts as a log. */
const REPEATED = 0.6;

const STAMP =
  /^\W{0,3}(?:\d{4}[-/]\d{2}[-/]\d{2}[T ]\d{2}:\d{2}|\d{2}:\d{2}:\d{2}\b|[A-Z][a-z]{2} {1,2}\d{1,2} \d{2}:\d{2}|\[ {0,8}\d{1,9}\.\d{3,9}\]|\d{1,3}(?:\.\d{1,3}){3} \S+ \S+ \[)/;
const LEVEL = /^.{0,60}(?:^|[\s[(<|])(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|ERR|FATAL|CRITICAL)\b[\]:)>| ]/;
const ASKS_FOR_LOG = /\b(?:logs?|journalctl|dmesg|tail|syslog)\b|\.log\b/i;
/** Lines behind an error that belong to it. */
const AFTERMATH = 4;

/** Logs and other line-by-line output: errors and how it ended, warnings, first and last lines, one line of a shape. */
export const log: Extractor = {
  name: "log",
  recognises(passage) {
    const lines = sampleOf(passage.text);
    if (lines.length < LEAST_LINES) return false;
    const marked = shareOf(lines, (line) => STAMP.test(line) || LEVEL.test(line.slice(0, 200)));
    return marked >= (asksForLog(passage) ? SHARE_ASKED : SHARE) || repetition(lines) >= REPEATED;
  },
  extract(text, options) {
    const pieces = foldRepeats(piecesOf(text), (line) => !hasError(line) && !tellsExit(line));
    if (pieces.length < 2) return null;
    return fitOutline(text, { pieces, weights: weightsOf(pieces) }, options);
  },
};

function asksForLog({ tool }: Passage): boolean {
  return tool !== null && ASKS_FOR_LOG.test(`${tool.name} ${tool.argumentsText.slice(0, 2_000)}`);
}

/** Share of lines whose shape a line before has; indented lines are code or data, not a log. */
function repetition(lines: readonly string[]): number {
  const shapes = new Set<string>();
  const again = lines.filter((line) => {
    const shape = shapeOf(line);
    const isKnown = shapes.has(shape);
    shapes.add(shape);
    return isKnown && !/^\s/.test(line) && shape.length > 8;
  });
  return again.length / lines.length;
}

function weightsOf(pieces: readonly Piece[]): Float64Array {
  const shapes = new Set<string>();
  let sinceError = AFTERMATH + 1;
  return Float64Array.from(pieces, ({ text }, index) => {
    if (isBlank(text)) return 0;
    const edge = Math.max(edgeWeight(index) - 0.15, edgeWeight(pieces.length - 1 - index));
    const shape = shapeOf(text);
    const isNew = !shapes.has(shape);
    shapes.add(shape);
    sinceError++;
    if (hasError(text)) {
      sinceError = 0;
      return Math.max(edge, isNew ? 0.95 : 0.7);
    }
    if (tellsExit(text)) return Math.max(edge, 0.9);
    if (hasWarning(text)) return Math.max(edge, isNew ? 0.6 : 0.45);
    if (sinceError <= AFTERMATH) return Math.max(edge, 0.55 - 0.02 * sinceError);
    return Math.max(edge, isNew ? 0.3 : 0.1);
  });
}
