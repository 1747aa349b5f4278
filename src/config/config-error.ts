import type { z } from "zod";
import type { Json } from "../model/json.ts";
import { type JsonSchema, kindInWords, legalKeys, legalValues, schemaAt } from "./json-schema.ts";
import { closest } from "./suggestion.ts";

/** One mistake in a config: never holds a value, which may be a secret. */
export interface ConfigIssue {
  /** The key, dotted: `pressure.thresholds.red`; empty for the file as a whole. */
  readonly path: string;
  /** What is wrong with it, in words that follow the path. */
  readonly problem: string;
  /** Where it was written: `contextd.yaml:12:3`, `environment CONTEXTD_SERVER__PORT`, `--port`; empty when nowhere. */
  readonly place: string;
}

/** A refused configuration. The message has a line for each issue. */
export class ConfigError extends Error {
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[], options?: ErrorOptions) {
    super(issues.map(issueLine).join("\n"), options);
    this.name = "ConfigError";
    this.issues = issues;
  }
}

function issueLine({ place, path, problem }: ConfigIssue): string {
  const subject = path === "" ? problem : `${path} ${problem}`;
  return place === "" ? subject : `${place}: ${subject}`;
}

export interface Finding {
  readonly path: readonly string[];
  readonly problem: string;
}

/** What zod found, in words: the path, the legal values, and the likely intent of a misspelt word. */
export function describeIssues(issues: readonly z.core.$ZodIssue[], value: Json, schema: JsonSchema): Finding[] {
  return issues.flatMap((issue) => describeIssue(issue, [], value, schema));
}

function describeIssue(issue: z.core.$ZodIssue, above: readonly string[], value: Json, schema: JsonSchema): Finding[] {
  const path = [...above, ...issue.path.map(String)];
  const found = valueAt(value, path);
  const node = schemaAt(schema, path);
  switch (issue.code) {
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        path: [...path, key],
        problem: unknownKey(key, (node && legalKeys(node)) ?? []),
      }));
    case "invalid_union": {
      // A mapping was written, so the mistake is inside it; otherwise all alternatives are said at once.
      const inside = issue.errors.find((issues) =>
        issues.some((nested) => nested.path.length > 0 || mistakeInside(nested)),
      );
      if (inside && typeof found === "object" && found !== null) {
        return inside.flatMap((nested) => describeIssue(nested, path, value, schema));
      }
      break;
    }
    case "invalid_key":
      return [{ path, problem: `is no legal name: it ${issue.issues[0]?.message ?? "does not fit"}` }];
    case "invalid_format":
      if (!issue.message.startsWith("Invalid")) return [{ path, problem: issue.message }];
      break;
    case "custom":
      return [{ path, problem: issue.message }];
  }
  if (!node) return [{ path, problem: issue.message }];
  if (found === undefined) return [{ path, problem: `is missing; legal: ${legalValues(node)}` }];
  const words = node.enum?.filter((word) => typeof word === "string");
  const meant = typeof found === "string" && words ? closest(found, words) : null;
  const hint = meant === null ? "" : `; did you mean "${meant}"?`;
  return [{ path, problem: `must be ${legalValues(node)}, not ${kindInWords(found)}${hint}` }];
}

function mistakeInside(issue: z.core.$ZodIssue): boolean {
  return issue.code === "unrecognized_keys" || issue.code === "custom";
}

/** "is no key that contextd knows", with the nearest key and all legal ones. */
export function unknownKey(key: string, legal: readonly string[]): string {
  const meant = closest(key, legal);
  const hint = meant === null ? "" : `; did you mean "${meant}"?`;
  return `is an unknown key${hint}${legal.length === 0 ? "" : ` (legal here: ${legal.join(", ")})`}`;
}

export function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let current: Json | undefined = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string, Json>)[key];
  }
  return current;
}
