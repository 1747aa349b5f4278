/** What a line is, by the words in it. Only its beginning is looked at, so that a line of any length costs little. */

const LOOKED_AT = 1_000;

const ERROR =
  /\b(?:errors?|exceptions?|fail(?:ed|ures?|s|ing)?|fatal|panic(?:ked)?|traceback|denied|refused|time(?:d ?)?out|not found|no such|cannot|can't|could not|unable|undefined|segfault|abort(?:ed)?|assertion|killed|critical|invalid|unexpected)\b|[A-Z]\w{0,60}(?:Error|Exception)\b/i;
const NO_ERROR = /\b(?:0|no) (?:errors?|failures?|failed)\b/i;
const WARNING = /\bwarn(?:ing)?s?\b|\bdeprecat/i;
const EXIT = /\b(?:exit(?:ed)?|return ?code|exit_code|status)\b\W{0,4}(?:(?:with|code|status)\W{1,3}){0,2}-?\d{1,5}\b/i;
const DECISION =
  /\b(?:decid(?:ed?|ing)|decision|chose[n]?|instead of|because|therefore|conclu(?:de[ds]?|sion)|root cause|so that|the (?:fix|cause|problem|reason) (?:is|was)|agreed|resolved)\b/i;
const CONSTRAINT =
  /\b(?:must|never|always|required?|requires|shall|should not|do not|don't|only (?:if|when)|not allowed|forbidden|mandatory|important|deadline|at (?:most|least))\b/i;
/** Numbers that file viewers put before a line. */
const NUMBERED = /^ {0,8}\d{1,7}[\t:|] ?/;
const DEFINITION =
  /^\s{0,16}(?:(?:export|default|public|private|protected|static|abstract|async|pub(?:\(crate\))?|final|override|declare|inline|extern)\s+){0,4}(?:def|class|interface|enum|struct|trait|impl|func|fn|function|module|namespace|package|type|const|CREATE TABLE|message|service)\s+[\w$"'(]/;
const HEADING = /^\s{0,3}(?:#{1,6} \S|[=\-*_~]{3,} ?\S.{0,120}[=\-*_~]{3,}\s*$|\[[\w .-]{1,80}\]\s*$)/;

export function hasError(line: string): boolean {
  const start = line.slice(0, LOOKED_AT);
  return ERROR.test(start) && !NO_ERROR.test(start);
}

export function hasWarning(line: string): boolean {
  return WARNING.test(line.slice(0, LOOKED_AT));
}

/** Tells how a command or request ended. */
export function tellsExit(line: string): boolean {
  return EXIT.test(line.slice(0, LOOKED_AT));
}

export function tellsDecision(line: string): boolean {
  return DECISION.test(line.slice(0, LOOKED_AT));
}

export function tellsConstraint(line: string): boolean {
  return CONSTRAINT.test(line.slice(0, LOOKED_AT));
}

/** Names something that the following lines define, or is a heading over them. */
export function opensSection(line: string): boolean {
  const start = line.slice(0, LOOKED_AT).replace(NUMBERED, "");
  return DEFINITION.test(start) || HEADING.test(start);
}

export function isBlank(line: string): boolean {
  return line.length < LOOKED_AT && line.trim() === "";
}

/** Characters and lines of a text that are looked at to tell its kind. */
const SAMPLED = 32_768;
const SAMPLED_LINES = 400;

/** Lines of the beginning of a text that are not blank. */
export function sampleOf(text: string): string[] {
  const lines = text
    .slice(0, SAMPLED)
    .split("\n", SAMPLED_LINES)
    .filter((line) => !isBlank(line));
  // The last may be half a line.
  return text.length > SAMPLED && lines.length > 1 ? lines.slice(0, -1) : lines;
}

/** Share of the lines that fit. */
export function shareOf(lines: readonly string[], fits: (line: string) => boolean): number {
  return lines.length === 0 ? 0 : lines.filter(fits).length / lines.length;
}
