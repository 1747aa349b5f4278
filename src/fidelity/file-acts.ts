/** What a call did with a file. */
export interface FileAct {
  readonly path: string;
  readonly act: "created" | "changed" | "deleted" | "read" | "named";
}

const LONGEST_PATH = 300;
/** Characters of a command that are looked at: what is behind them is content that it writes. */
const READ = 4_000;

/** Whether a text is one path of a file: with a name that has an extension, or of letters beside a folder. */
export function isPath(text: string): boolean {
  return (
    text.length <= LONGEST_PATH &&
    /^[^\s"'`<>|*?$;]+$/.test(text) &&
    /(?:[\w-]\.\w{1,8}|\/\w*(?:file|Makefile))$/.test(text)
  );
}

const FILE = "([\\w@./~+-]*[\\w-]\\.\\w{1,8})(?![\\w/])";

/** Ways in which a command line writes a file. */
const WRITING: readonly (readonly [pattern: RegExp, act: FileAct["act"]])[] = [
  [new RegExp(`(?<![>&\\d])>\\s*${FILE}`, "g"), "created"],
  [new RegExp(`>>\\s*${FILE}`, "g"), "changed"],
  [new RegExp(`\\btee (?:-a )?${FILE}`, "g"), "created"],
  [new RegExp(`\\b(?:touch|create|truncate -s 0) ${FILE}`, "g"), "created"],
  [new RegExp(`\\bsed -i[^\\n;|&]*\\s${FILE}`, "g"), "changed"],
  [new RegExp(`\\b(?:mv|cp) (?:-\\w+ )?[\\w@./~+-]+ ${FILE}`, "g"), "created"],
  [new RegExp(`\\brm (?:-\\w+ )*${FILE}`, "g"), "deleted"],
  [new RegExp(`\\bopen\\(["']${FILE.replace("(?![\\w/])", "")}["'], ["']w`, "g"), "created"],
];

const READING = new RegExp(
  `\\b(?:cat|head|tail|less|more|nl|vim?|nano|open|view|python3?|node|bash|sh|pytest|sed -n|grep|wc|diff)\\b[^\\n;|&<>]*?\\s${FILE}`,
  "g",
);

/** Files that a command line names, by what it does with them. */
export function filesOfCommand(text: string): FileAct[] {
  // What stands in a here-document is written, not done.
  const command = text.slice(0, READ).replace(/<<-?\s*['"]?(\w+)['"]?([^\n]*)\n[\s\S]*?(?:\n\1\b|$)/g, "<<$1$2");
  const found = new Map<string, FileAct>();
  for (const [pattern, act] of WRITING) {
    for (const [, path = ""] of command.matchAll(pattern)) if (!found.has(path)) found.set(path, { path, act });
  }
  for (const [, path = ""] of command.matchAll(READING)) if (!found.has(path)) found.set(path, { path, act: "read" });
  return [...found.values()].filter(({ path }) => !path.startsWith("/dev/"));
}

const NAMED =
  /(?<![\w/.@:-])((?:[\w.@~+-]+\/)+[\w.@+-]*\w\.[A-Za-z]\w{0,5}|[\w-]{2,}\.(?:py|js|ts|tsx|c|h|cpp|rs|go|java|rb|json|ya?ml|toml|cfg|ini|txt|md|rst|sh|csv|sql|html|css|ipynb|lock|log|xml|pdf))(?![\w/])/g;

/** Files that somebody speaks of. */
export function filesNamed(text: string): FileAct[] {
  if (!/\w\.[A-Za-z]/.test(text)) return [];
  return [...text.matchAll(NAMED)].map(([, path = ""]) => ({ path, act: "named" }));
}

const PATCHED: readonly (readonly [pattern: RegExp, act: FileAct["act"]])[] = [
  [/^\*\*\* Update File: (\S+)/gm, "changed"],
  [/^\*\*\* Add File: (\S+)/gm, "created"],
  [/^\*\*\* Delete File: (\S+)/gm, "deleted"],
  [/^\+\+\+ (?:b\/)?(\S+)/gm, "changed"],
];

/** Files that a patch names. */
export function filesOfPatch(text: string): FileAct[] {
  if (!/^(?:\*\*\* |\+\+\+ )/m.test(text)) return [];
  return PATCHED.flatMap(([pattern, act]) =>
    [...text.matchAll(pattern)].map(([, path = ""]) => ({ path, act })).filter(({ path }) => path !== "/dev/null"),
  );
}
