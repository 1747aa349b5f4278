import {
  cleanSections,
  emptySections,
  hasNoFacts,
  headingLine,
  SECTION_NAMES,
  type SectionName,
  type SummarySections,
} from "./sections.ts";
import { SYNONYMS } from "./synonyms.ts";

const SECTION_OF: ReadonlyMap<string, SectionName> = new Map(
  SECTION_NAMES.flatMap((name) => SYNONYMS[name].map((words) => [words, name] as const)),
);

const NOTHING =
  /^\W*(?:none(?: yet| so far| known)?|n\/a|nothing(?: yet)?|not applicable|no (?:errors|constraints|files|decisions))\W*$/i;

/** An item such as "none" or "n/a": models fill sections with it. */
export function saysNothing(item: string): boolean {
  return NOTHING.test(item);
}

/** Longest line that is looked at as a heading. */
const LONGEST_HEADING = 120;

const BULLET = /^(\s*)(?:[-*+•–]|\d{1,3}[.)])\s+/;
const FENCE = /^\s*(?:```|~~~)/;

/**
 * The sections of a summary's text, or null when it has no heading that is known.
 *
 * A text of `renderSummary` is read exactly. Any other is read leniently: markdown headings, bold or plain titles
 * with a colon and XML-like tags, in any case and by synonyms; bullets and numbers before items are taken off; lines
 * that are indented below an item belong to it. Text under no known heading goes to `done`.
 */
export function parseSummary(text: string): SummarySections | null {
  return parseExactly(text) ?? parseLeniently(text);
}

const EXACT_HEADINGS: ReadonlyMap<string, number> = new Map(SECTION_NAMES.map((name, at) => [headingLine(name), at]));

function parseExactly(text: string): SummarySections | null {
  const found = drafts();
  let at = -1;
  for (const line of text.split("\n")) {
    const heading = EXACT_HEADINGS.get(line);
    const items = at < 0 ? null : found[SECTION_NAMES[at] as SectionName];
    if (heading !== undefined) {
      if (heading <= at || items?.length === 0) return null;
      at = heading;
    } else if (items === null) {
      return null;
    } else if (line.startsWith("- ")) {
      items.push(line.slice(2));
    } else if (line.startsWith("  ") && items.length > 0) {
      items[items.length - 1] += `\n${line.slice(2)}`;
    } else {
      return null;
    }
  }
  const sections = cleanSections(found);
  return hasNoFacts(sections) ? null : sections;
}

function parseLeniently(text: string): SummarySections | null {
  const found = drafts();
  let section: SectionName = "done";
  let level = 0;
  let known = false;
  let indent: number | null = null;
  for (const line of withoutFence(text.split("\n"))) {
    const heading = headingOf(line);
    if (heading !== null && (heading.section !== null || heading.level <= level)) {
      known ||= heading.section !== null;
      section = heading.section ?? "done";
      level = heading.level;
      indent = null;
      if (heading.rest !== "") found[section].push(heading.rest);
    } else if (line.trim() === "" || (heading !== null && heading.rest === "")) {
      indent = null;
    } else if (known || !line.trimEnd().endsWith(":")) {
      indent = addLine(found[section], line, indent);
    }
  }
  if (!known) return null;
  for (const name of SECTION_NAMES) found[name] = found[name].filter((item) => !saysNothing(item));
  return cleanSections(found);
}

/** Answers the indent of the item that the line began or continued. */
function addLine(items: string[], line: string, indent: number | null): number {
  const bullet = BULLET.exec(line);
  const depth = (bullet?.[1] ?? /^\s*/.exec(line)?.[0] ?? "").length;
  if (indent !== null && depth > indent && items.length > 0) {
    items[items.length - 1] += `\n${line.slice(indent + 2).trimEnd()}`;
    return indent;
  }
  items.push(bullet === null ? line : line.slice(bullet[0].length));
  return depth;
}

interface Heading {
  /** null: the words are those of no section. */
  readonly section: SectionName | null;
  /** 1 to 6 of markdown; 7 of any other form. */
  readonly level: number;
  /** What stands behind the heading on its line. */
  readonly rest: string;
}

const MARKDOWN = /^\s{0,3}(#{1,6})\s+(.*?)[\s#]*$/;
const BOLD = /^\s{0,3}(?:[-*+•]\s+|\d{1,2}[.)]\s+)?(?:\*\*|__)([^*_\n]{1,60}?)(:?)(?:\*\*|__)\s*(:?)\s*(.*)$/;
const TITLE = /^\s{0,3}(?:\d{1,2}[.)]\s+)?([A-Za-z][A-Za-z /&()'-]{1,50}):\s*(.*)$/;
const TAG = /^\s*<(\/?)([A-Za-z][\w -]{1,40})>\s*(.*)$/;

function headingOf(line: string): Heading | null {
  const head = line.slice(0, LONGEST_HEADING);
  const markdown = MARKDOWN.exec(head);
  if (markdown !== null) return headingWith(markdown[2] ?? "", (markdown[1] ?? "").length, "");
  const bold = BOLD.exec(line);
  if (bold !== null) {
    const section = sectionOf(bold[1] ?? "");
    const rest = bold[4] ?? "";
    const marked = bold[2] !== "" || bold[3] !== "" || rest === "";
    if (section !== null && marked) return { section, level: 7, rest };
    return rest === "" && !BULLET.test(line) ? { section: null, level: 7, rest: "" } : null;
  }
  const tag = TAG.exec(head);
  const tagged = tag === null ? null : sectionOf(tag[2] ?? "");
  if (tag !== null && tagged !== null)
    return tag[1] === ""
      ? { section: tagged, level: 7, rest: (line.match(TAG)?.[3] ?? "").replace(/<\/[\w -]+>\s*$/, "") }
      : { section: "done", level: 7, rest: "" };
  const title = TITLE.exec(line);
  const titled = title === null ? null : sectionOf(title[1] ?? "");
  return titled === null ? null : { section: titled, level: 7, rest: title?.[2] ?? "" };
}

/** A markdown heading: `Goal`, `Goal: mend the parser` or `**Goal**`. */
function headingWith(words: string, level: number, rest: string): Heading {
  const section = sectionOf(words);
  if (section !== null) return { section, level, rest };
  const colon = words.indexOf(":");
  const before = colon < 0 ? null : sectionOf(words.slice(0, colon));
  return before === null
    ? { section: null, level, rest }
    : { section: before, level, rest: words.slice(colon + 1).replace(/^[\s*_]+/, "") };
}

function sectionOf(heading: string): SectionName | null {
  const words = wordsOfHeading(heading);
  return SECTION_OF.get(words) ?? SECTION_OF.get(words.replace(/^(?:the|current|summary of) /, "")) ?? null;
}

/** Lower case, numbers before it and marks in it taken out: `3. **Next_Step(s):**` reads `next steps`. */
function wordsOfHeading(heading: string): string {
  return heading
    .replace(/\([^()]{3,}\)/g, " ")
    .toLowerCase()
    .replace(/[()]/g, "")
    .replace(/^[\s\d.)]+/, "")
    .replace(/[^a-z]+/g, " ")
    .trim();
}

/** A reply that stands in one code fence is read as if it did not. */
function withoutFence(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.trim() !== "");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (first < 0 || last <= first || !FENCE.test(lines[first] as string) || !FENCE.test(lines[last] as string))
    return lines;
  return lines.slice(first + 1, last);
}

function drafts(): Record<SectionName, string[]> {
  return emptySections() as unknown as Record<SectionName, string[]>;
}
