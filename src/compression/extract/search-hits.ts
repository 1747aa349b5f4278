import type { Extractor } from "./extractor.ts";
import { isBlank, opensSection, sampleOf, shareOf } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { namedCounts } from "./path-names.ts";
import { type Piece, piecesOf } from "./pieces.ts";

const LEAST_LINES = 4;
const SHARE = 0.6;
/** `path:12:` of a hit, `path-12-` of a line beside one. */
const HIT = /^((?:[A-Za-z]:)?[^\s:"'()=,;][^:\n"']{0,300}?)(?::\d{1,8}[:\s]|:(?=\s*\S))/;
const NUMBERED_HIT = /^((?:[A-Za-z]:)?[^\s:"'()=,;][^:\n"']{0,300}?):\d{1,8}(?::|$)/;
const BESIDE = /^([^\s:"'()=,;][^:\n"']{0,300}?)-\d{1,8}-/;
const LOOKS_LIKE_FILE = /[/\\]|\.\w{1,8}$/;

/** Hits of a search: the first ones of each file, those that define something, and counts of the rest by file. */
export const searchHits: Extractor = {
  name: "search_hits",
  recognises({ text }) {
    const lines = sampleOf(text).filter((line) => line !== "--");
    if (lines.length < LEAST_LINES) return false;
    if (shareOf(lines, (line) => NUMBERED_HIT.test(line.slice(0, 400))) < SHARE / 2) return hasBareHits(lines);
    return shareOf(lines, (line) => fileOf(line) !== null) >= SHARE;
  },
  extract(text, options) {
    const pieces = piecesOf(text);
    const files = pieces.map((piece) => fileOf(piece.text));
    const nameGap = (from: number, to: number) => namedCounts(files.slice(from, to).filter((file) => file !== null));
    return fitOutline(text, { pieces, weights: weightsOf(pieces, files), nameGap }, options);
  },
};

/** Hits without line numbers, `path: text`, are so many lines of few files. */
function hasBareHits(lines: readonly string[]): boolean {
  return shareOf(lines, (line) => /^[\w./-]{1,300}\.\w{1,8}:\s*\S/.test(line.slice(0, 400))) >= 0.8;
}

/** The file of a hit or of a line beside one; null of other lines. */
function fileOf(line: string): string | null {
  const start = line.slice(0, 400);
  const found = NUMBERED_HIT.exec(start) ?? BESIDE.exec(start) ?? HIT.exec(start);
  const file = found?.[1] ?? null;
  return file !== null && LOOKS_LIKE_FILE.test(file) ? file : null;
}

function weightsOf(pieces: readonly Piece[], files: readonly (string | null)[]): Float64Array {
  const hits = new Map<string, number>();
  return Float64Array.from(pieces, ({ text }, index) => {
    const file = files[index] ?? null;
    if (isBlank(text) || text === "--") return 0;
    if (file === null) return 0.5;
    if (!HIT.test(text.slice(0, 400))) return 0.05;
    const nth = hits.get(file) ?? 0;
    hits.set(file, nth + 1);
    const own = 0.9 / (1 + 0.5 * nth);
    return opensSection(text.slice(file.length).replace(/^:\d{0,8}:?/, "")) ? Math.max(own, 0.65) : own;
  });
}
