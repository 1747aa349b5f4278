import type { z } from "zod";

/** Below these stand names of the agent's choosing. */
const AGENTS_OWN = new Set<PropertyKey>(["environment"]);

/** The place of an issue in the words of the format: names below the agent's own fields are not said. */
export function pathOf(path: readonly PropertyKey[]): string {
  const end = path.findIndex((step) => AGENTS_OWN.has(step));
  const shown = end === -1 ? path : path.slice(0, end + 1);
  const text = shown.map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`)).join("");
  return text === "" ? "document" : text.replace(/^\./, "");
}

/** What should have stood there, in words. Says nothing of what did. */
export function expectedAt(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return TYPES[issue.expected] ?? issue.expected;
    case "invalid_value":
      return issue.values.map((value) => JSON.stringify(value)).join(" or ");
    case "too_big":
      return `at most ${amount(issue.maximum, issue.origin)}`;
    case "too_small":
      return `at least ${amount(issue.minimum, issue.origin)}`;
    case "invalid_format":
      return issue.format === "datetime"
        ? "a time as 2026-01-31T12:00:00.000Z"
        : `text of the form ${issue.pattern ?? issue.format}`;
    case "unrecognized_keys":
      return `no more than the keys of the format (${issue.keys.length} too many)`;
    case "invalid_key":
      return "shorter keys";
    default:
      return "what the published schema says";
  }
}

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  array: "a list",
  object: "an object",
  record: "an object",
};

function amount(bound: number | bigint, origin: string): string {
  if (origin === "string") return `${bound} characters`;
  return origin === "array" ? `${bound} items` : String(bound);
}
