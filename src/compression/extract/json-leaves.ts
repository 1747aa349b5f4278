/** A line of a JSON document: one leaf as `path.key: value`, or a further line of the text of the leaf before. */
export interface Leaf {
  /** `data.items[3].name`; that of the leaf before, of its further lines. */
  readonly path: string;
  readonly value: string;
  readonly isFurther: boolean;
}

/** An element of an array: whose leaves stand together. */
export interface ElementPlace {
  /** Path of the array. */
  readonly array: string;
  readonly index: number;
  /** Path of the leaf within the element; "" for a plain element. */
  readonly key: string;
}

/** No key of a path: more blanks than names have, or what separates a sentence. */
const NO_PATH = /(?: [^ ]*){5}|[,;!?"]|:\/\/| $/;
/** Characters of a line in which its path is looked for. */
const PATH_WITHIN = 1_000;

/** Reads the lines that `linesOfDocument` made. A text's further line that looks like a leaf is taken for one. */
export function leavesOf(lines: readonly string[]): Leaf[] {
  let path = "";
  return lines.map((line): Leaf => {
    const end = line.slice(0, PATH_WITHIN).indexOf(": ");
    const start = end < 0 ? "" : line.slice(0, end);
    if (start === "" || NO_PATH.test(start)) return { path, value: line, isFurther: true };
    path = start;
    return { path, value: line.slice(end + 2), isFurther: false };
  });
}

/** The element that a leaf is in, of the outermost array that has at least `least` elements; null: of none. */
export function elementsOf(
  leaves: readonly Leaf[],
  least: number,
): { places: (ElementPlace | null)[]; sizes: Map<string, number> } {
  const sizes = new Map<string, number>();
  for (const { path } of leaves) {
    for (const [array, index] of indexesOf(path)) sizes.set(array, Math.max(sizes.get(array) ?? 0, index + 1));
  }
  const places = leaves.map(({ path }): ElementPlace | null => {
    for (const [array, index] of indexesOf(path)) {
      if ((sizes.get(array) ?? 0) < least) continue;
      const key = path.slice(array.length + `[${index}]`.length).replace(/^\./, "");
      return { array, index, key };
    }
    return null;
  });
  return { places, sizes };
}

/** The arrays on a path, outermost first, with the index in each. */
function* indexesOf(path: string): Generator<readonly [array: string, index: number]> {
  for (let at = path.indexOf("["); at >= 0; at = path.indexOf("[", at + 1)) {
    const end = path.indexOf("]", at);
    if (end < 0) return;
    yield [path.slice(0, at), Number(path.slice(at + 1, end))];
  }
}
