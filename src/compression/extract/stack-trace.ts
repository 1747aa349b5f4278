import type { Extractor } from "./extractor.ts";
import { hasError, isBlank, sampleOf, shareOf, tellsExit } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { foldRepeats, type Piece, piecesOf } from "./pieces.ts";

const FRAME =
  /^\s*(?:File "[^"\n]{1,400}", line \d|at .{1,400}[:(]\S{0,400}\d\)?$|at [\w$.<>]{1,300}\(|\d{1,4}: {1,4}[\w:<>]{1,300}|#\d{1,3} {1,3}\S|from \S{1,300}:\d{1,7}:in )/;
const OPENS =
  /Traceback \(most recent call last\)|^goroutine \d{1,9} \[|^thread '.{1,80}' panicked at|^Stack trace:|^[ \t]{0,16}Caused by: /m;
const CAUSE =
  /^\s*(?:[\w$.]{0,200}(?:Error|Exception|Panic|Warning|Interrupt|Exit)\b|Caused by\b|panic: |thread '.{1,80}' panicked|Uncaught |fatal: |error(?:\[\w{1,20}\])?: )/i;
const BETWEEN = /^During handling of the above exception|^The above exception was the direct cause|^\.{3} \d{1,6} more/;
/** Frames of libraries say less than one's own. */
const LIBRARY = /site-packages|node_modules|\/lib\/python|node:internal|<frozen |java\.base|\/usr\/lib\//;
const SHARE = 0.15;
/** Lines at the end of an error's text that are kept before anything else. */
const END = 12;
const SAMPLED = 65_536;

/** Stack traces and error texts: what was raised and its causes, the end verbatim, one's own frames before others'. */
export const stackTrace: Extractor = {
  name: "stack_trace",
  recognises({ text, isError }) {
    if (isError) return true;
    const lines = sampleOf(text);
    const frames = shareOf(lines, (line) => FRAME.test(line.slice(0, 1_000)));
    if (frames >= SHARE) return OPENS.test(text.slice(0, SAMPLED)) || lines.some((line) => CAUSE.test(line));
    // The trace may stand behind other output.
    const end = sampleOf(text.slice(-8_192));
    return OPENS.test(text.slice(-8_192)) && shareOf(end, (line) => FRAME.test(line.slice(0, 1_000))) >= SHARE;
  },
  extract(text, options) {
    const pieces = foldRepeats(piecesOf(text));
    return fitOutline(text, { pieces, weights: weightsOf(pieces) }, options);
  },
};

function weightsOf(pieces: readonly Piece[]): Float64Array {
  let sinceFrame = 2;
  return Float64Array.from(pieces, ({ text }, index) => {
    const fromEnd = pieces.length - 1 - index;
    const end = fromEnd < END ? 0.97 - 0.02 * fromEnd : 0;
    if (isBlank(text)) return 0;
    const start = text.slice(0, 1_000);
    sinceFrame++;
    if (FRAME.test(start)) {
      sinceFrame = 0;
      return Math.max(end, LIBRARY.test(start) ? 0.25 : 0.6);
    }
    if (CAUSE.test(start)) return 1;
    if (BETWEEN.test(start) || OPENS.test(start) || tellsExit(text)) return Math.max(end, 0.8);
    if (hasError(text)) return Math.max(end, 0.75);
    // The source line under a frame.
    if (sinceFrame === 1) return Math.max(end, 0.5);
    return Math.max(end, index < 3 ? 0.45 : 0.1);
  });
}
