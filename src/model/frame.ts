/** A section of a text of contextd's own: its heading and its lines. */
export interface Section {
  readonly heading: string;
  readonly lines: readonly string[];
}

/** What such a text is, and what the agent is told of it before the first section. */
export interface Frame {
  readonly tag: string;
  readonly head: string;
}

/** Stands for the mark where tokens are counted before it is known. */
export const SOME_MARK = "0a1b2c";

/** The line that begins a section. */
export function headed(heading: string, mark: string): string {
  return `[${mark}] ${heading}:`;
}

/**
 * A text that quotes the session: only a line with the mark begins a section or ends it, so `mark` must stand nowhere
 * in what the sections quote.
 */
export function framed({ tag, head }: Frame, sections: readonly Section[], mark: string): string {
  const lines = sections.flatMap(({ heading, lines }) => [headed(heading, mark), ...lines]);
  return [`<${tag} ${mark}> ${head}`, ...lines, `</${tag} ${mark}>`].join("\n");
}
