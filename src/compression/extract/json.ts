import { linesOfDocument } from "../../lines/index.ts";
import type { Extractor } from "./extractor.ts";
import { type ElementPlace, elementsOf, type Leaf, leavesOf } from "./json-leaves.ts";
import { hasError, sampleOf, shareOf } from "./line-signs.ts";
import { fitOutline } from "./outline.ts";
import { foldRepeats, type Piece, pieceOf, piecesOf, shapeOf } from "./pieces.ts";

const OPENS = /^\s*(?:\{\s*["}]|\[\s*(?:[[{"\]tfnN-]|\d))/;
const CLOSES = /[}\]]\s*$/;
/** Share of lines that are documents of their own, for a text of such lines. */
const LINES_SHARE = 0.9;
/** Elements of an array from which on the middle ones are only counted. */
const LEAST_ELEMENTS = 4;
/** Values seen at most so often for one key, as a share of the elements, make an element an outlier. */
const RARE = 0.1;
/** Different values of a key, as a share of the elements, above which it tells elements apart, and no outliers. */
const TELLING_APART = 0.3;

/** Keys whose values say how something went. */
const OUTCOME =
  /(?:^|[._\]])(?:errors?|status|state|code|message|reason|detail|details|exit_?code|return_?code|stderr|success|ok|warnings?|total|count|title|result)$/i;
const IDENTITY = /(?:^|[._\]])(?:\w{0,40}_?id|name|key|path|title|number)$/i;
const NOTHING = /^(?:None|""|\{\}|False)?$/;
/** Worth of an element from which on its telling keys go before its others. */
const LEAST_PICKED = 0.6;
const MOST_KEYS = 8;
const LONGEST_KEYS = 120;

/**
 * JSON documents, also of one line, as their leaves: outcomes and what stands beside arrays, of long arrays the first
 * and last elements and those that differ from the rest, which is counted with its keys. Texts with a document a line
 * are shortened by lines.
 */
export const json: Extractor = {
  name: "json",
  recognises({ text }) {
    if (OPENS.test(text.slice(0, 200)) && CLOSES.test(text.slice(-200))) return true;
    return isDocumentALine(text);
  },
  extract(text, options) {
    const lines = linesOfDocument(text);
    if (lines === null) return isDocumentALine(text) ? extractLines(text, options) : null;
    const pieces = lines.map(pieceOf);
    const leaves = leavesOf(lines);
    const { places, sizes } = elementsOf(leaves, LEAST_ELEMENTS);
    const weights = weightsOf(leaves, places, sizes);
    const nameGap = (from: number, to: number) => gapOf(places.slice(from, to));
    return fitOutline(text, { pieces, weights, nameGap, leastShare: 0 }, options);
  },
};

function isDocumentALine(text: string): boolean {
  const lines = sampleOf(text);
  return (
    lines.length > 2 && shareOf(lines, (line) => /^\{\s*"/.test(line) && line.trimEnd().endsWith("}")) >= LINES_SHARE
  );
}

function extractLines(text: string, options: Parameters<Extractor["extract"]>[1]): string | null {
  const pieces = foldRepeats(piecesOf(text), (line) => !hasError(line));
  const shapes = new Set<string>();
  const weights = Float64Array.from(pieces, (piece: Piece, index) => {
    const shape = shapeOf(piece.text);
    const isNew = !shapes.has(shape);
    shapes.add(shape);
    if (hasError(piece.text)) return 0.9;
    if (index < 2 || index === pieces.length - 1) return 0.8;
    return isNew ? 0.4 : 0.1;
  });
  return fitOutline(text, { pieces, weights }, options);
}

function weightsOf(
  leaves: readonly Leaf[],
  places: readonly (ElementPlace | null)[],
  sizes: ReadonlyMap<string, number>,
): Float64Array {
  const outliers = outliersOf(leaves, places, sizes);
  return Float64Array.from(leaves, ({ path, value, isFurther }, index) => {
    const place = places[index] ?? null;
    const own = place === null ? 0.8 : elementWeight(place, sizes, outliers);
    if (isFurther) return hasError(value) ? 0.75 : 0.3 * own;
    const outcome = OUTCOME.test(path);
    if (outcome && (place === null || hasError(value))) return 0.95;
    // The middle elements are shown whole or not at all.
    if (own < LEAST_PICKED) return own;
    const better = outcome ? 0.08 : IDENTITY.test(path) ? 0.06 : NOTHING.test(value) ? -0.1 : 0;
    return own + better;
  });
}

function elementWeight(
  { array, index }: ElementPlace,
  sizes: ReadonlyMap<string, number>,
  outliers: ReadonlySet<string>,
): number {
  if (index === 0) return 0.7;
  if (index === (sizes.get(array) ?? 0) - 1) return 0.6;
  if (outliers.has(`${array}[${index}]`)) return 0.65;
  return index === 1 ? 0.4 : 0.2;
}

/** Elements that have a value or a key which few others of their array have. */
function outliersOf(
  leaves: readonly Leaf[],
  places: readonly (ElementPlace | null)[],
  sizes: ReadonlyMap<string, number>,
): Set<string> {
  const values = new Map<string, Map<string, number>>();
  const keyOf = ({ array, key }: ElementPlace) => `${array}\n${key.replace(/\[\d+\]/g, "[]")}`;
  const short = (value: string) => value.slice(0, 60);
  leaves.forEach(({ value, isFurther }, index) => {
    const place = places[index];
    if (!place || isFurther) return;
    const seen = values.get(keyOf(place)) ?? new Map<string, number>();
    values.set(keyOf(place), seen.set(short(value), (seen.get(short(value)) ?? 0) + 1));
  });
  const outliers = new Set<string>();
  leaves.forEach(({ value, isFurther }, index) => {
    const place = places[index];
    if (!place || isFurther) return;
    const size = sizes.get(place.array) ?? 0;
    const seen = values.get(keyOf(place));
    if (!seen || seen.size > Math.max(2, TELLING_APART * size)) return;
    if ((seen.get(short(value)) ?? 0) <= RARE * size) outliers.add(`${place.array}[${place.index}]`);
  });
  return outliers;
}

/** `items[2] to items[96], keys id, name`; "" unless elements are left out whole. */
function gapOf(places: readonly (ElementPlace | null)[]): string {
  const inside = places.filter((place) => place !== null);
  const first = inside[0];
  const last = inside.findLast(({ array }) => array === first?.array);
  if (!first || !last || last.index - first.index < 2) return "";
  const keys = new Set(inside.map(({ key }) => key.replace(/[.[].*$/, "")).filter((key) => key !== ""));
  const named = [...keys].slice(0, MOST_KEYS).join(", ").slice(0, LONGEST_KEYS);
  const range = `${first.array}[${first.index}] to ${last.array}[${last.index}]`.slice(0, LONGEST_KEYS);
  return named === "" ? range : `${range}, keys ${named}${keys.size > MOST_KEYS ? ", …" : ""}`;
}
