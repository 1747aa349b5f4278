/** What a command does to a file that it names. */
export type FileAction = "created" | "edited" | "deleted" | "read";

export interface FileUse {
  readonly path: string;
  readonly action: FileAction;
}

/** Characters of a command that are read, without its here-documents. */
const MOST_READ = 4_096;

const HERE_DOCUMENT = /<<-?\s*(["']?)([A-Za-z_]\w*)\1([^\n]*)\n[\s\S]*?(?:\n\s*\2[ \t]*(?=\n|$)|$)/g;
const FOLDER_CHANGE = /^\s*(?:cd\s+[^\s;&|]{1,400}\s*(?:&&|;)\s*|export\s+[^\s;&|]{1,400}\s*(?:&&|;)\s*)+(?=\S)/;

/** What is put behind a command to see less of what it prints. */
const VIEWERS = /\s*(?:2>&1|\|\s*(?:head|tail|less|cat|grep|sort|uniq|wc|tee)\b[^|;&]*)\s*$/;

const READERS = new Set(
  "cat head tail less more bat nl view open grep egrep rg ag sed awk diff stat file od xxd jq wc".split(" "),
);
/** Readers whose first argument is a pattern or a program. */
const PATTERN_FIRST = new Set("grep egrep rg ag sed awk jq".split(" "));
const CREATORS = new Set(["touch", "create"]);
const EDITORS = new Set(["tee", "patch", "truncate", "edit", "ed"]);
const REMOVERS = new Set(["rm", "unlink", "shred"]);
const MOVERS = new Set(["mv", "cp", "install", "ln"]);
const LOOKERS = new Set([...READERS, "ls", "find", "fd", "tree", "pwd", "which", "echo", "git"]);
const LOOKING_GIT = new Set(["log", "show", "diff", "status", "blame", "grep", "branch", "ls-files"]);

/** A command without the change of folder before it and what only cuts its output: equal for runs of the same thing. */
export function commandCore(command: string): string {
  let core = withoutDocuments(command).slice(0, MOST_READ).replace(FOLDER_CHANGE, "").trim();
  for (let shorter = core.replace(VIEWERS, ""); shorter !== core && shorter !== ""; shorter = core.replace(VIEWERS, ""))
    core = shorter;
  return core.replace(/[^\S\n]+/g, " ").trim();
}

/** Without the bodies of here-documents: they are the text of files and scripts, not the command. */
function withoutDocuments(command: string): string {
  return command.replace(HERE_DOCUMENT, (_, _quote, _word, rest: string) => `${rest}\n`);
}

/** The command shows something and runs nothing: what reads as an error in its output may be the text of a file. */
export function onlyLooks(command: string): boolean {
  const steps = stepsOf(command);
  return steps.length > 0 && steps.every(({ words }) => looks(words));
}

function looks([verb = "", ...rest]: readonly string[]): boolean {
  if (verb === "git") return LOOKING_GIT.has(rest.find((word) => !word.startsWith("-")) ?? "");
  return LOOKERS.has(verb) || verb === "cd";
}

/** Files that a command names, with what it does to them. */
export function filesOfCommand(command: string): FileUse[] {
  const found: FileUse[] = [];
  for (const { words, targets } of stepsOf(command)) {
    for (const { path, action } of targets) if (isPath(path)) found.push({ path: tidyPath(path), action });
    found.push(...filesOfStep(words));
  }
  return found;
}

function filesOfStep(words: readonly string[]): FileUse[] {
  const [verb = "", ...rest] = words[0] === "sudo" || words[0] === "git" ? words.slice(1) : words;
  const action = actionOf(verb, rest);
  if (action === null) return [];
  const plain = rest.filter((word) => !word.startsWith("-"));
  const named = PATTERN_FIRST.has(verb) ? plain.slice(1) : MOVERS.has(verb) ? plain.slice(-1) : plain;
  return named.filter((word) => isFileName(word)).map((word) => ({ path: tidyPath(word), action }));
}

function actionOf(verb: string, rest: readonly string[]): FileAction | null {
  if ((verb === "sed" || verb === "perl") && rest.some((word) => /^-[a-zA-Z]*i/.test(word) || word === "--in-place"))
    return "edited";
  if (READERS.has(verb)) return "read";
  if (CREATORS.has(verb)) return "created";
  if (EDITORS.has(verb) || MOVERS.has(verb)) return "edited";
  return REMOVERS.has(verb) ? "deleted" : null;
}

/** One command of a line of them: its words without quotes, and the files it writes its output to. */
interface Step {
  readonly words: readonly string[];
  readonly targets: readonly FileUse[];
}

const TOKEN =
  /\d?>>?&?\d?|&>>?|\|\||&&|[|;&\n()]|(?:[^\s"'`|;&<>()\\]|\\[\s\S]|"(?:[^"\\]|\\[\s\S])*"|'[^']*'|`[^`]*`)+|[<"'`\\]/g;
const BREAK = /^(?:\|\||&&|[|;&\n()])$/;
const REDIRECTION = /^(?:1?>>?|&>>?)$/;

function stepsOf(command: string): Step[] {
  const steps: { words: string[]; targets: FileUse[] }[] = [{ words: [], targets: [] }];
  let writes: FileAction | null = null;
  const text = withoutDocuments(command).slice(0, MOST_READ);
  for (const [token] of text.matchAll(TOKEN)) {
    const step = steps.at(-1) as { words: string[]; targets: FileUse[] };
    if (BREAK.test(token)) {
      if (step.words.length > 0 || step.targets.length > 0) steps.push({ words: [], targets: [] });
      writes = null;
    } else if (REDIRECTION.test(token)) {
      writes = token.endsWith(">>") ? "edited" : "created";
    } else if (!/^\d?>/.test(token)) {
      const word = token.replace(/^(["'])([\s\S]*)\1$/, "$2");
      if (writes === null) step.words.push(word);
      else step.targets.push({ path: word, action: writes });
      writes = null;
    }
  }
  return steps.filter(({ words, targets }) => words.length > 0 || targets.length > 0);
}

const PATH = /^[\w.@+~/\\:-][\w.@+~/\\: ()[\]-]{0,250}$/;
const FILE_NAME =
  /(?:^|[/\\])(?:[\w@+~ -]*\.[A-Za-z]\w{0,9}|\.[A-Za-z][\w.-]+|(?:[A-Z][a-z]+file|README|LICENSE|CHANGELOG|NOTICE))$/;

/** A text that can be a path: no URL, no option, no pattern, nothing of a device. */
export function isPath(text: string): boolean {
  return (
    PATH.test(text) &&
    /[A-Za-z]/.test(text) &&
    !/^(?:-|\/dev\/|\w{2,10}:\/\/)/.test(text) &&
    !/\s{2}|^\s|\s$/.test(text)
  );
}

/** A path whose last part is named as files are. */
export function isFileName(text: string): boolean {
  return isPath(text) && FILE_NAME.test(text) && !/^[\d.]+$/.test(text);
}

export function tidyPath(path: string): string {
  return path
    .trim()
    .replace(/([^:])\/{2,}/g, "$1/")
    .replace(/^(?:\.\/)+/, "");
}
