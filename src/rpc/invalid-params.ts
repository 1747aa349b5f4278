import type { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import { legalKeys } from "./json-schema.ts";
import { isQuotable, nearest } from "./nearest.ts";

/** How many problems one answer lists. */
const MAX_PROBLEMS = 8;
/** How many legal values or names one sentence lists. */
const MAX_LISTED = 40;

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];
interface Problem {
  readonly path: string;
  readonly problem: string;
}

/**
 * The error for parameters that do not fit a schema: the first problem as a sentence, its place in `data.path`, and
 * all of them (at most 8) in `data.problems`. Says what was expected and of what kind the value was; never the value.
 * `schema` gives the JSON Schema of the parameters, for the legal names where one is unknown.
 */
export function invalidParams(error: z.ZodError, params: unknown, schema: () => JsonObject): ContextdError {
  const problems = error.issues
    .slice(0, MAX_PROBLEMS)
    .flatMap((issue) => describe(issue, [], params, schema))
    .slice(0, MAX_PROBLEMS);
  const first = problems[0] as Problem;
  const more = problems.length - 1;
  const rest = more > 0 ? ` ${more} more in data.problems.` : "";
  return new ContextdError("invalid_params", `${first.problem}${rest}`, {
    path: first.path,
    problems: problems.map(({ path, problem }) => ({ path, problem })),
  });
}

function describe(issue: Issue, base: Path, params: unknown, schema: () => JsonObject): Problem[] {
  const path = [...base, ...issue.path];
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(key, path, schema()));
  if (issue.code === "invalid_union") {
    const fitting = issue.errors.filter(
      (branch) => !branch.some((inner) => inner.path.length === 0 && isOfAnotherKind(inner)),
    );
    const only = fitting[0];
    if (fitting.length === 1 && only) return only.flatMap((inner) => describe(inner, path, params, schema));
  }
  const value = valueAt(params, path);
  const name = path.length === 0 ? "The params object" : `"${pathText(path)}"`;
  const rule = ruleOf(issue);
  const lacking = value === undefined ? " is missing: it" : "";
  const got = value !== undefined && tellsKind(issue) ? `, not ${kindOf(value)}` : "";
  return [{ path: pathText(path), problem: `${name}${lacking} ${rule}${got}.` }];
}

/** Whether a branch of a union with this issue at its top is of another kind than the value: not the one meant. */
function isOfAnotherKind(issue: Issue): boolean {
  return issue.code === "invalid_type" || issue.code === "invalid_value" || issue.code === "invalid_union";
}

/** Whether the kind of the value is what is wrong, rather than the value. */
function tellsKind(issue: Issue): boolean {
  return issue.code === "invalid_type" || (issue.code === "invalid_union" && issue.errors.length > 0);
}

function unknownKey(key: string, path: Path, schema: JsonObject): Problem {
  const legal = legalKeys(schema, path);
  const guess = nearest(key, legal);
  const place = path.length === 0 ? "" : ` of "${pathText(path)}"`;
  const subject = isQuotable(key) ? `"${key}"` : `A name of ${key.length} characters`;
  const hint = guess === null ? "" : ` Did you mean "${guess}"?`;
  const names = legal.length === 0 ? "it takes none" : `the legal ones are ${listed(legal)}`;
  return {
    path: pathText([...path, key]),
    problem: `${subject} is not a known member${place}: ${names}.${hint}`,
  };
}

/** What the value must be: the predicate of a sentence, without its full stop. A schema's own message is one. */
function ruleOf(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be ${oneOf(issue.values)}`;
    case "too_small":
      return `must ${sizeRule(issue.origin, "least", issue.minimum, issue.inclusive !== false)}`;
    case "too_big":
      return `must ${sizeRule(issue.origin, "most", issue.maximum, issue.inclusive !== false)}`;
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "invalid_format":
      if (!issue.message.startsWith("Invalid ")) return issue.message;
      return issue.pattern === undefined
        ? `must be a valid ${issue.format}`
        : `must match the pattern ${issue.pattern}`;
    case "invalid_key":
      return "has a name that is not allowed there";
    case "invalid_union":
      return unionRule(issue);
    default:
      return issue.message;
  }
}

function unionRule(issue: Issue & { code: "invalid_union" }): string {
  const options = "options" in issue ? issue.options : undefined;
  if (options) return `must be ${oneOf(options)}`;
  const rules = issue.errors.flatMap((branch) => branch.filter((inner) => inner.path.length === 0).map(ruleOf));
  const distinct = [...new Set(rules)].map((rule) => rule.replace(/^must be /, ""));
  return distinct.length === 0 ? "fits none of the forms it may take" : `must be ${distinct.join(" or ")}`;
}

function sizeRule(origin: string, side: "least" | "most", limit: number | bigint, inclusive: boolean): string {
  const bound = inclusive ? `at ${side} ${limit}` : `${side === "least" ? "more" : "less"} than ${limit}`;
  if (origin === "string") return `have ${bound} character${limit === 1 ? "" : "s"}`;
  if (origin === "array" || origin === "set") return `have ${bound} item${limit === 1 ? "" : "s"}`;
  return `be ${bound}`;
}

const ARTICLES: Readonly<Record<string, string>> = {
  int: "an integer",
  record: "an object",
  null: "null",
  undefined: "absent",
  nonoptional: "given",
  never: "absent",
};

function withArticle(kind: string): string {
  return ARTICLES[kind] ?? `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number" && !Number.isInteger(value)) return "a fraction";
  return withArticle(typeof value);
}

function oneOf(values: readonly unknown[]): string {
  const texts = values.map((value) => (typeof value === "string" ? `"${value}"` : String(value)));
  return texts.length === 1 ? String(texts[0]) : `one of ${listed(texts)}`;
}

function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_LISTED).join(", ");
  return texts.length > MAX_LISTED ? `${shown} and ${texts.length - MAX_LISTED} more` : shown;
}

/** `messages[3].role`. Names that a caller made up and that might be content are given by their length. */
function pathText(path: Path): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else {
      const name = isQuotable(String(step)) ? String(step) : `<${String(step).length} characters>`;
      text += text === "" ? name : `.${name}`;
    }
  }
  return text;
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<PropertyKey, unknown>)[step];
  }
  return at;
}
