/**
 * Words of agents and users as Markdown shows them: literally, and never outside of the place that they are given.
 * Their marks are escaped or fenced, so that they are no heading, list, table, link, image or HTML of the page's.
 */

/** Characters that show nothing or turn the order of the others around: they could make a line read as another. */
const UNSEEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;
const LINE_ENDS = /\r\n?|[\u2028\u2029]/g;

/** Marks that have a meaning wherever they stand; an underscore between letters has none. */
const MARKS = /[\\`*[<|~$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g;
/** What a reader of Markdown takes for a character or a link. */
const ENTITY = /&(?=#?[A-Za-z0-9]+;)/g;
const ADDRESS = /:(?=\/\/)|(?<=\bwww)\./gi;
/** Marks that have a meaning at the beginning of a line. */
const LINE_MARK = /^(?:[-+#=:>]|\d{1,9}(?=[.)]))/;

function visible(text: string): string {
  const wellFormed = (text as string & { toWellFormed(): string }).toWellFormed();
  return wellFormed.replace(LINE_ENDS, "\n").replace(UNSEEN, "\ufffd");
}

/** What an author wrote as code on one line; what it stands in is escaped, and so is a backtick that has no partner. */
const CODE = /(?<!`)`([^`]+)`(?!`)/;

/** One line of it, white space folded; what stands in single backticks is code. Empty where there is only white space. */
export function inline(text: string): string {
  const line = visible(text).replace(/\s+/g, " ").trim();
  return line
    .split(CODE)
    .map((piece, index) => (index % 2 === 1 ? code(piece) : escaped(piece, index === 0)))
    .join("");
}

function escaped(text: string, beginsLine: boolean): string {
  const inText = text.replace(MARKS, "\\$&").replace(ENTITY, "\\&").replace(ADDRESS, "\\$&");
  if (!beginsLine) return inText;
  return inText.replace(LINE_MARK, (mark) => (/\d/.test(mark) ? `${mark}\\` : `\\${mark}`));
}

/** An id, a path or a value as code, on one line. */
export function code(text: string): string {
  const line = visible(text).replace(/\s+/g, " ");
  const fence = "`".repeat(longestRun(line) + 1);
  // Spaces keep apart from the fence a text that begins or ends like it, and an empty one needs some.
  const pad = /^`|`$|^ .* $|^ *$/.test(line) ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}

/** A text as it is, within a fence longer than any in it. */
export function fenced(text: string): string[] {
  const lines = visible(text).replace(/\n$/, "").split("\n");
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return [`${fence}text`, ...lines, fence];
}

/**
 * A text of several lines as a quotation that keeps them; one that is laid out by its indentation as a fenced block.
 * Nothing for white space.
 */
export function quoted(text: string): string[] {
  const shown = visible(text)
    .trimEnd()
    .replace(/^\s*\n/, "");
  if (shown === "") return [];
  if (/^(?:\t| {2,})\S|```/m.test(shown)) return fenced(shown);
  const lines = shown.split("\n").map(inline);
  return lines.map((line, index) => {
    // Two spaces at its end keep the next line a line of its own.
    const breaks = line !== "" && lines[index + 1] ? "  " : "";
    return line === "" ? ">" : `> ${line}${breaks}`;
  });
}

/** True when the text is one line, once trimmed. */
export function isOneLine(text: string): boolean {
  return !/[\n\r\u2028\u2029]/.test(text.trim());
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
