import { linesOfDocument } from "../../src/lines/index.ts";

const MARKER = /^\[(?:… [\d,]+ (?:lines?|tokens)\b.* …|× [\d,]+(?: alike)?)\]$/;

export function isMarker(line: string): boolean {
  return MARKER.test(line);
}

/** The lines of an extract that are no markers. */
export function keptLines(extract: string): string[] {
  return extract.split("\n").filter((line) => !isMarker(line));
}

/** The first line of an extract that is no whole line of the source in its order; null when all are. */
export function strangeLine(extract: string, source: string): string | null {
  const lines = linesOfDocument(source) ?? source.split("\n");
  let at = 0;
  for (const line of keptLines(extract)) {
    const found = lines.indexOf(line, at);
    if (found < 0) return line;
    at = found + 1;
  }
  return null;
}

/** Lines that the markers of an extract say are missing: those of its gaps and folds. */
export function linesLeftOut(extract: string): number {
  const figure = (digits: string | undefined) => Number((digits ?? "0").replaceAll(",", ""));
  const inAll = /^\[… ([\d,]+) lines? \([\d,]+ tokens\) left out/m.exec(extract);
  return figure(inAll?.[1]);
}
