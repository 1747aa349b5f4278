import { contentWords, normalised, stemOf } from "./words.ts";

/** Characters of a piece of text that is shown whole or not at all. */
const PIECE = 240;

/** A text cut into pieces, with the words of each. */
export interface PieceIndex {
  readonly pieces: readonly string[];
  readonly stems: readonly ReadonlySet<string>[];
  /** In how many pieces a word stands. */
  readonly spread: ReadonlyMap<string, number>;
}

export function indexPieces(texts: readonly string[]): PieceIndex {
  const pieces = texts.flatMap(piecesOf);
  const stems = pieces.map((piece) => new Set(contentWords(piece).map(stemOf)));
  const spread = new Map<string, number>();
  for (const each of stems) for (const stem of each) spread.set(stem, (spread.get(stem) ?? 0) + 1);
  return { pieces, stems, spread };
}

/**
 * The pieces that share most with a question, rare words weighing more, in the order of the text, as many as `tokens`
 * hold by `count`. Empty where none shares a word.
 */
export function retrieve(
  { pieces, stems, spread }: PieceIndex,
  question: string,
  { tokens, count }: { readonly tokens: number; readonly count: (text: string) => number },
): string[] {
  const asked = [...new Set(contentWords(normalised(question)).map(stemOf))];
  const weighed = stems
    .map((own, place) => ({ place, weight: weightOf(own, asked, spread, pieces.length) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || b.place - a.place);
  const chosen: number[] = [];
  let left = tokens;
  for (const { place } of weighed) {
    const cost = count(pieces[place] ?? "");
    if (cost > left) continue;
    left -= cost;
    chosen.push(place);
  }
  return chosen.sort((a, b) => a - b).map((place) => pieces[place] ?? "");
}

function weightOf(
  own: ReadonlySet<string>,
  asked: readonly string[],
  spread: ReadonlyMap<string, number>,
  pieces: number,
): number {
  return asked.reduce((sum, stem) => (own.has(stem) ? sum + Math.log(1 + pieces / (spread.get(stem) ?? 1)) : sum), 0);
}

/** Whole lines up to the size of a piece; a longer line is cut. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const line of text.split("\n")) {
    for (let start = 0; start === 0 || start < line.length; start += PIECE) {
      const part = line.slice(start, start + PIECE);
      if (piece.length + part.length >= PIECE && piece !== "") {
        pieces.push(piece);
        piece = "";
      }
      piece += piece === "" ? part : `\n${part}`;
    }
  }
  if (piece.trim() !== "") pieces.push(piece);
  return pieces;
}
