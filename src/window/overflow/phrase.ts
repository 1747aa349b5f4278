import { normalized } from "./refusal-text.ts";

/** What the number at a hole is. `also` is a further part of the prompt; a hole without a name is skipped. */
type Hole = "limit" | "input" | "output" | "also" | "";

interface Step {
  readonly literal: string;
  readonly hole: Hole | null;
}

/** A sentence of a provider: groups of steps that follow each other at once, with a gap between the groups. */
export interface Phrase {
  readonly groups: readonly (readonly Step[])[];
}

export interface PhraseMatch {
  /** Where the phrase begins in the text. */
  readonly at: number;
  readonly numbers: Readonly<Partial<Record<"limit" | "input" | "output", number>>>;
}

/** Characters that a gap may skip: the words between two halves of one message. */
const GAP = 200;
/** Beginnings of a phrase that are looked at in one text, so that a text of nothing else costs no more. */
const BEGINNINGS = 64;
/** No window of today is near: a larger number is an identifier or a mistake. */
const LARGEST = 1_000_000_000;
const DIGITS = String(LARGEST).length;

/**
 * Compiles a template: words as the provider writes them, `{limit}`, `{input}`, `{output}`, `{also}` or `{}` where a
 * number stands, `…` where other words may; it begins with words. It is matched by search, not by a regular expression: the work is
 * proportional to the text, whatever the text is.
 */
export function phrase(template: string): Phrase {
  return {
    groups: template.split("…").map((group) => {
      const parts = group.trim().split(/\{([a-z]*)\}/);
      const steps: Step[] = [];
      for (let n = 0; n < parts.length; n += 2) {
        steps.push({ literal: normalized(parts[n] ?? ""), hole: (parts[n + 1] as Hole | undefined) ?? null });
      }
      return steps;
    }),
  };
}

/** The first place where a normalised text says the phrase. */
export function matchPhrase({ groups: [first = [], ...rest] }: Phrase, text: string): PhraseMatch | null {
  const literal = first[0]?.literal ?? "";
  let from = 0;
  for (let n = 0; n < BEGINNINGS; n++) {
    const at = text.indexOf(literal, from);
    if (at < 0) return null;
    const found = new Map<Hole, number>();
    let end = matchGroup(first, text, at, found);
    for (const group of rest) end = end === null ? null : matchAfterGap(group, text, end, found);
    if (end !== null) return { at, numbers: numbersOf(found) };
    from = at + 1;
  }
  return null;
}

function numbersOf(found: ReadonlyMap<Hole, number>): PhraseMatch["numbers"] {
  const [limit, input, output] = [found.get("limit"), found.get("input"), found.get("output")];
  return {
    ...(limit !== undefined && { limit }),
    ...(input !== undefined && { input: input + (found.get("also") ?? 0) }),
    ...(output !== undefined && { output }),
  };
}

/** Where the group ends, if it begins at most a gap behind `from`. */
function matchAfterGap(group: readonly Step[], text: string, from: number, found: Map<Hole, number>): number | null {
  const literal = group[0]?.literal ?? "";
  for (let at = from; ; at++) {
    at = text.indexOf(literal, at);
    if (at < 0 || at - from > GAP) return null;
    const end = matchGroup(group, text, at, found);
    if (end !== null) return end;
  }
}

function matchGroup(group: readonly Step[], text: string, at: number, found: Map<Hole, number>): number | null {
  const read: [Hole, number][] = [];
  let end = at;
  for (const { literal, hole } of group) {
    if (!text.startsWith(literal, end)) return null;
    end += literal.length;
    if (hole === null) continue;
    const number = numberAt(text, end);
    if (number === null || (hole === "limit" && number.value === 0)) return null;
    read.push([hole, number.value]);
    end = number.end;
  }
  for (const [hole, value] of read) found.set(hole, value);
  return end;
}

/** The whole number that begins at `at`, with or without separators of thousands; null if none ends there as one. */
function numberAt(text: string, at: number): { readonly value: number; readonly end: number } | null {
  let end = digitsEnd(text, at, DIGITS + 1);
  let digits = text.slice(at, end);
  if (digits === "") return null;
  if (digits.length <= 3) {
    while (digits.length < DIGITS && isThousands(text, end)) {
      digits += text.slice(end + 1, end + 4);
      end += 4;
    }
  }
  const value = Number(digits);
  if (value > LARGEST || isWordCharacter(text, end)) return null;
  return { value, end };
}

/** Whether a separator and three digits, not four, stand there. */
function isThousands(text: string, at: number): boolean {
  const separator = text[at];
  if (separator !== "," && separator !== "_" && separator !== ".") return false;
  return digitsEnd(text, at + 1, 4) === at + 4;
}

function digitsEnd(text: string, at: number, most: number): number {
  let end = at;
  while (end - at < most && isDigit(text, end)) end++;
  return end;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function isWordCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 48 && code <= 57) || (code >= 97 && code <= 122);
}
