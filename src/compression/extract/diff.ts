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
  let hunks = 0;
  let changes = 0;
  return Float64Array.from(kinds, (kind) => {
    switch (kind) {
      case "file":
      case "header":
        return 1;
      case "outside":
        return 0.7;
      case "context":
        return 0.05;
      case "hunk":
        hunks++;
        changes = 0;
        return hunkWeight(hunks);
      default: {
        changes++;
        const late = FULL_CHANGES / Math.max(FULL_CHANGES, changes);
        return (hunkWeight(hunks) - (kind === "added" ? 0.04 : 0.05)) * late;
      }
    }
  });
}

/** The first hunks with their changes go before the headers of the last. */
function hunkWeight(nth: number): number {
  return Math.max(0.4, 0.95 - 0.01 * nth);
}

function countOf(kinds: readonly Kind[], kind: Kind, from: number, to: number): number {
  let count = 0;
  for (let index = from; index < to; index++) if (kinds[index] === kind) count++;
  return count;
}
