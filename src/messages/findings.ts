import type { Violation } from "./format.ts";

/** Collects violations of the rules in a catalogue: rule name to the sentence that states it. */
export class Findings<Rules extends Readonly<Record<string, string>>> {
  readonly violations: Violation[] = [];
  readonly #rules: Rules;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  /** `about` names the id, role or type in question. */
  add(rule: keyof Rules & string, path: string, about?: string): void {
    const sentence = this.#rules[rule] as string;
    this.violations.push({ path, rule, detail: about === undefined ? sentence : `${sentence} (${about})` });
  }
}

/** Text that holds nothing but white space. */
export function isBlank(text: string): boolean {
  return text.trim().length === 0;
}
