import { valuesOfLine, withoutEscapes } from "../lines/index.ts";

interface Sign {
  readonly activity: Activity;
  readonly inArguments: RegExp;
  /** The tool's own name tells too. */
  readonly inName: boolean;
}

/** What a tool call does, as far as its arguments tell; the first that fits. */
export const ACTIVITIES = ["edit", "test", "search", "view", "list", "git", "run", "other"] as const;
export type Activity = (typeof ACTIVITIES)[number];

const SIGNS: readonly Sign[] = [
  {
    activity: "edit",
    inArguments: /str_replace|\bcreate\b|\binsert\b|sed -i|<<\s*['"]?\w+|apply_patch|\bedit\b|\bpatch\b|undo_edit|tee /,
    inName: false,
  },
  {
    activity: "test",
    inArguments:
      /pytest|unittest|\btox\b|runtests|npm (?:run )?test|go test|cargo test|bin\/test|manage\.py test|\btest_\w+\.py/,
    inName: false,
  },
  { activity: "search", inArguments: /\bgrep\b|\brg\b|\bag\b|git grep|find .*-name|search/, inName: true },
  {
    activity: "view",
    inArguments: /\bcat\b|sed -n|\bhead\b|\btail\b|\bview\b|\bopen\b|\bless\b|\bnl\b|goto|scroll/,
    inName: true,
  },
  { activity: "list", inArguments: /\bls\b|\bfind\b|\btree\b/, inName: false },
  { activity: "git", inArguments: /\bgit\b/, inName: false },
  { activity: "run", inArguments: /\bpython\d?\b|\bnode\b|\bbash\b|\.\//, inName: false },
];

/** Editors whose first argument names the command. */
const EDITORS: ReadonlySet<string> = new Set(["str_replace_editor", "file_editor"]);
const COMMAND_READ = 40;
const ARGUMENTS_READ = 4000;
const FILES_READ = 600;

/** Kind of work of a call, by its decoded arguments and its tool's name. */
export function activityOf(toolName: string, argumentsText: string): Activity {
  if (EDITORS.has(toolName)) return argumentsText.slice(0, COMMAND_READ).includes("view") ? "view" : "edit";
  const text = argumentsText.slice(0, ARGUMENTS_READ);
  const sign = SIGNS.find(
    ({ inArguments, inName }) => inArguments.test(text) || (inName && inArguments.test(toolName)),
  );
  return sign?.activity ?? "other";
}

/** Base names of the files that a call names at the head of its decoded arguments. */
export function filesOf(argumentsText: string): Set<string> {
  const files = new Set<string>();
  const text = withoutEscapes(argumentsText.slice(0, FILES_READ).replaceAll("\n", " "));
  for (const [value, kind] of valuesOfLine(text)) {
    if (kind === "path" || kind === "file") files.add(value.slice(value.lastIndexOf("/") + 1));
  }
  return files;
}
