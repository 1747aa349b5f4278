import { readMarker, readRepeat, repeatMarker } from "../marker.ts";
import { isBlank } from "./line-signs.ts";

/** A line of the source, or several that are shown as one with a count. It is shown whole or not at all. */
export interface Piece {
  /** What is shown: whole lines, without the newline behind the last. */
  readonly text: string;
  /** Lines of the source that it stands for. */
  readonly lines: number;
  /** Lines of the source that it shows. */
  readonly shown: number;
  /** A marker of an earlier extract: the tokens that were left out there. null: words of the source. */
  readonly leftOutTokens: number | null;
}

/** The lines of a text. Markers that an earlier extract left are read, so that counts stay those of the original. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  for (const line of lines) {
    const last = pieces.at(-1);
    const times = last && last.leftOutTokens === null && last.lines === 1 ? readRepeat(line) : null;
    if (last && times !== null) {
      pieces[pieces.length - 1] = { ...last, text: `${last.text}\n${line}`, lines: times };
      continue;
    }
    const marker = readMarker(line);
    if (marker) pieces.push({ text: line, lines: marker.lines, shown: 0, leftOutTokens: marker.tokens });
    else pieces.push(pieceOf(line));
  }
  return pieces;
}

export function pieceOf(line: string): Piece {
  return { text: line, lines: 1, shown: 1, leftOutTokens: null };
}

/** Fewer lines that differ in their figures alone are left as they are. */
const LEAST_ALIKE = 4;
/** Characters of a line by which it is compared with the next but for its figures. */
const COMPARED = 400;

/**
 * Folds lines that follow each other and are the same into one with its count, and where `isAlike` allows it also
 * lines that differ in their figures alone: of those the first and the last are shown.
 */
export function foldRepeats(pieces: readonly Piece[], mayDiffer: (line: string) => boolean = () => false): Piece[] {
  const folded: Piece[] = [];
  for (let from = 0; from < pieces.length; ) {
    const first = pieces[from] as Piece;
    let to = from + 1;
    while (to < pieces.length && first.leftOutTokens === null && pieces[to]?.text === first.text) to++;
    if (to - from > 1) {
      if (isBlank(first.text)) for (; from < to; from++) folded.push(first);
      else folded.push(repeated(first, to - from, false));
      from = to;
      continue;
    }
    const end = endOfAlike(pieces, from, mayDiffer);
    if (end - from >= LEAST_ALIKE) {
      folded.push(repeated(first, end - from - 1, true), pieces[end - 1] as Piece);
      from = end;
      continue;
    }
    folded.push(first);
    from++;
  }
  return folded;
}

function repeated(piece: Piece, times: number, alike: boolean): Piece {
  return { ...piece, text: `${piece.text}\n${repeatMarker(times, alike)}`, lines: times };
}

function endOfAlike(pieces: readonly Piece[], from: number, mayDiffer: (line: string) => boolean): number {
  const isPlain = (piece: Piece | undefined): piece is Piece =>
    piece !== undefined && piece.leftOutTokens === null && piece.lines === 1 && mayDiffer(piece.text);
  const first = pieces[from];
  if (!isPlain(first)) return from;
  const shape = shapeOf(first.text);
  let to = from + 1;
  for (; to < pieces.length; to++) {
    const next = pieces[to];
    if (!isPlain(next) || shapeOf(next.text) !== shape) break;
  }
  return to;
}

/** A line but for its figures: lines of one shape say the same of different things. */
export function shapeOf(line: string): string {
  return line.slice(0, COMPARED).replace(/\b[0-9a-f]{8,}\b|\d+/gi, "0");
}
