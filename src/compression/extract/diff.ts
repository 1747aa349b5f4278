import type { Extractor } from "./extractor.ts";
import { fitOutline } from "./outline.ts";
import { piecesOf } from "./pieces.ts";

const OPENING = /^diff --(?:git|cc|combined) |^Index: \S|^@@ -\d{1,9}(?:,\d{1,9})? \+\d{1,9}/m;
const HUNK = /^@@+ -/;
const FILE_BEGINS = /^(?:diff --(?:git|cc|combined) |Index: )/;
const FILE_HEADER =
  /^(?:--- |\+\+\+ |rename |copy |similarity |new file |deleted file |old mode |new mode |Binary files |GIT binary )/;
/** Changed lines of one hunk after which more of them are worth less. */
const FULL_CHANGES = 12;
const SAMPLED = 32_768;

type Kind = "file" | "header" | "hunk" | "added" | "removed" | "context" | "outside";

const WEIGHTS: Readonly<Record<Exclude<Kind, "added" | "removed">, number>> = {
  file: 1,
  header: 0.95,
  hunk: 0.9,
  outside: 0.6,
  context: 0.05,
};

/** Unified diffs: headers of files and hunks, then the changed lines; context goes first. */
export const diff: Extractor = {
  name: "diff",
  recognises({ text }) {
    return OPENING.test(text.slice(0, SAMPLED));
  },
  extract(text, options) {
    const pieces = piecesOf(text);
    const kinds = kindsOf(pieces.map((piece) => piece.text));
    const nameGap = (from: number, to: number) => {
      const [added, removed] = (["added", "removed"] as const).map((kind) => countOf(kinds, kind, from, to));
      return added || removed ? `+${added} -${removed}` : "";
    };
    return fitOutline(text, { pieces, weights: weightsOf(kinds), nameGap }, options);
  },
};

function kindsOf(lines: readonly string[]): Kind[] {
  let place: "outside" | "header" | "hunk" = "outside";
  return lines.map((line): Kind => {
    if (FILE_BEGINS.test(line)) {
      place = "header";
      return "file";
    }
    if (HUNK.test(line)) {
      place = "hunk";
      return "hunk";
    }
    if (place === "hunk") {
      if (line.startsWith("+")) return "added";
      if (line.startsWith("-")) return "removed";
      if (line === "" || line.startsWith(" ") || line.startsWith("\\")) return "context";
      place = "outside";
    }
    if (FILE_HEADER.test(line)) return "header";
    return place === "header" ? "context" : "outside";
  });
}

function weightsOf(kinds: readonly Kind[]): Float64Array {
  let changes = 0;
  return Float64Array.from(kinds, (kind) => {
    if (kind !== "added" && kind !== "removed") {
      if (kind === "hunk") changes = 0;
      return WEIGHTS[kind];
    }
    changes++;
    const late = Math.max(0, changes - FULL_CHANGES);
    return (kind === "added" ? 0.8 : 0.7) * (FULL_CHANGES / (FULL_CHANGES + late));
  });
}

function countOf(kinds: readonly Kind[], kind: Kind, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (kinds[index] === kind) count++;
  return count;
}
