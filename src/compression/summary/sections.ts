/** The sections of a summary, in the order in which they are written. */
export const SECTION_NAMES = [
  "goal",
  "constraints",
  "decisions",
  "files",
  "errors",
  "done",
  "current",
  "todo",
  "numbers",
  "next_step",
] as const;

export type SectionName = (typeof SECTION_NAMES)[number];

/**
 * A summary as data. An item is one fact, of one or more lines, without blanks at either end. `files` and
 * `errors` have what weighs most first; every other section is in the order of time.
 */
export type SummarySections = Readonly<Record<SectionName, readonly string[]>>;

/** What stands above a section. */
export const HEADINGS: Readonly<Record<SectionName, string>> = {
  goal: "Goal",
  constraints: "Constraints",
  decisions: "Decisions",
  files: "Files",
  errors: "Errors",
  done: "Done",
  current: "Current",
  todo: "Todo",
  numbers: "Numbers",
  next_step: "Next step",
};

/** Sections made of a function of their name. */
export function sectionsBy(itemsOf: (name: SectionName) => readonly string[]): SummarySections {
  return Object.fromEntries(SECTION_NAMES.map((name) => [name, itemsOf(name)])) as unknown as SummarySections;
}

export function emptySections(): SummarySections {
  return sectionsBy(() => []);
}

export function hasNoFacts(sections: SummarySections): boolean {
  return SECTION_NAMES.every((name) => sections[name].length === 0);
}

/** An item as sections hold it: no blanks at either end; empty when nothing is left. */
export function itemText(text: string): string {
  return text.trim();
}

/** Sections whose items are all as `itemText` leaves them, empty ones left out. */
export function cleanSections(sections: SummarySections): SummarySections {
  return sectionsBy((name) => sections[name].map(itemText).filter((item) => item !== ""));
}

/**
 * The text of a summary: a heading for each section that has items, `- ` before each item, and its further lines
 * indented by two blanks, so that no line of an item can pass for a heading. `parseSummary` is its inverse.
 */
export function renderSummary(sections: SummarySections): string {
  const lines: string[] = [];
  for (const name of SECTION_NAMES) {
    const items = sections[name].map(itemText).filter((item) => item !== "");
    if (items.length > 0) lines.push(headingLine(name), ...items.map(renderItem));
  }
  return lines.join("\n");
}

export function headingLine(name: SectionName): string {
  return `## ${HEADINGS[name]}`;
}

export function renderItem(item: string): string {
  return `- ${item.replaceAll("\n", "\n  ")}`;
}
