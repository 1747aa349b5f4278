import { execFile } from "node:child_process";
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, posix, relative, sep } from "node:path";

export interface RepositoryFile {
  /** Relative to the root, with forward slashes. */
  readonly path: string;
  readonly bytes: number;
}

/** What a tool brought back. */
export interface Outcome {
  readonly text: string;
  readonly isError: boolean;
}

/** Folders of the package that an agent may look into; nothing else of the machine is read. */
const FOLDERS = ["benchmarks", "config", "dashboards", "docs", "examples", "scripts", "src", "test"];
/** The compiled code stands for the source in an installed package. */
const FOLDERS_WITHOUT_SOURCE = ["config", "docs", "dist"];
const ROOT_FILES = /^(package(-lock)?\.json|tsconfig[\w.]*\.json|[A-Z]+\.md|LICENSE)$/;
const TEXT_FILES = /\.(ts|js|mjs|cjs|json|ya?ml|md)$/;
/** Recorded runs, and what is generated from other files. */
const NOT_FOR_AGENTS = /(^|\/)(fixtures|node_modules|static)\/|\.d\.ts$/;

const MAX_FILE_BYTES = 512 * 1024;
const MAX_RESULT_CHARACTERS = 512 * 1024;
const MAX_LINE_CHARACTERS = 200;
const COMMAND_TIMEOUT_MS = 5_000;

/** Commands that only read, each with the arguments that may follow its fixed part. */
const COMMANDS: readonly { readonly words: readonly string[]; readonly options: RegExp }[] = [
  { words: ["git", "log", "--oneline"], options: /^(-n|\d{1,3}|--stat|--no-color|--)$/ },
  { words: ["ls", "-p"], options: /^$/ },
  { words: ["wc", "-l"], options: /^$/ },
  { words: ["node", "--version"], options: /^$/ },
];

/**
 * The checkout or installed package of contextd, as the demo's agents see it: read only, bounded, and without the path
 * at which it lies. Paths are relative to its root; one that leads out of it is refused.
 */
export class Repository {
  /** Every file that may be read, by path. */
  readonly files: readonly RepositoryFile[];
  readonly #root: string;
  readonly #byPath: ReadonlyMap<string, RepositoryFile>;
  /** Spellings of the root's path, the longest first. */
  readonly #spellings: readonly string[];

  constructor(root: string) {
    this.#root = root;
    this.#spellings = [...new Set([root, realpathSync(root)])]
      .map((path) => path.replace(/[\\/]+$/, ""))
      .filter((path) => path !== "")
      .sort((a, b) => b.length - a.length);
    this.files = findFiles(root);
    this.#byPath = new Map(this.files.map((file) => [file.path, file]));
  }

  /** Folders that hold files, by path. */
  get folders(): readonly string[] {
    return [...new Set(this.files.map((file) => posix.dirname(file.path)))].sort();
  }

  /** The text of a file; undefined when there is none that may be read. */
  textOf(path: string): string | undefined {
    return this.#byPath.has(path) ? this.#hide(readFileSync(join(this.#root, path), "utf8")) : undefined;
  }

  under(folder: string): readonly RepositoryFile[] {
    return folder === "." ? this.files : this.files.filter((file) => file.path.startsWith(`${folder}/`));
  }

  list(folder: string, entries: number): Outcome {
    const files = this.under(folder);
    if (files.length === 0) return failure(`${folder}: no such folder`);
    const lines = files.slice(0, entries).map((file) => `${file.path} (${file.bytes} bytes)`);
    if (files.length > entries) lines.push(`… and ${files.length - entries} more`);
    return success(lines.join("\n"));
  }

  /** Lines of one file, from `firstLine` (1 is the first) on. */
  read(path: string, firstLine: number, lines: number): Outcome {
    const text = this.textOf(path);
    if (text === undefined) return failure(`${path}: no such file`);
    return success(
      text
        .split("\n")
        .slice(firstLine - 1, firstLine - 1 + lines)
        .join("\n"),
    );
  }

  readAll(paths: readonly string[]): Outcome {
    const texts = paths.map((path) => `==> ${path} <==\n${this.textOf(path) ?? "no such file"}`);
    return success(texts.join("\n"));
  }

  /** Lines that hold the words as they are. */
  grep(words: string, folder: string, matches: number): Outcome {
    const found: string[] = [];
    for (const { path } of this.under(folder)) {
      const lines = (this.textOf(path) ?? "").split("\n");
      for (const [index, line] of lines.entries()) {
        if (!line.includes(words)) continue;
        found.push(`${path}:${index + 1}: ${line.trim().slice(0, MAX_LINE_CHARACTERS)}`);
        if (found.length === matches) return success(found.join("\n"));
      }
    }
    return success(found.length === 0 ? "no matches" : found.join("\n"));
  }

  /** Runs one of the commands that only read, without a shell. */
  run(command: string): Promise<Outcome> {
    const words = command.split(" ").filter((word) => word !== "");
    if (!this.#isAllowed(words)) {
      return Promise.resolve(failure(`${words[0] ?? ""}: only commands that read may be run`));
    }
    const [program, ...args] = words as [string, ...string[]];
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, LC_ALL: "C", GIT_PAGER: "cat", GIT_OPTIONAL_LOCKS: "0" };
    return new Promise((resolve) => {
      const options = { cwd: this.#root, env, timeout: COMMAND_TIMEOUT_MS, maxBuffer: MAX_RESULT_CHARACTERS };
      execFile(program, args, options, (error, stdout, stderr) => {
        if (error === null) return resolve(success(this.#hide(stdout)));
        const why = typeof error.code === "number" ? `exit code ${error.code}` : String(error.code ?? "timed out");
        resolve(failure(this.#hide(`${stdout}${stderr}${why}`)));
      });
    });
  }

  #isAllowed(words: readonly string[]): boolean {
    return COMMANDS.some(
      (allowed) =>
        allowed.words.every((word, index) => words[index] === word) &&
        words.slice(allowed.words.length).every((word) => allowed.options.test(word) || this.#isKnown(word)),
    );
  }

  #isKnown(path: string): boolean {
    return path === "." || this.#byPath.has(path) || this.files.some((file) => file.path.startsWith(`${path}/`));
  }

  /** What agents read must not tell where on the machine it lies. */
  #hide(text: string): string {
    return this.#spellings.reduce((hidden, spelling) => hidden.replaceAll(spelling, "."), text);
  }
}

function success(text: string): Outcome {
  return { text: text.slice(0, MAX_RESULT_CHARACTERS), isError: false };
}

function failure(text: string): Outcome {
  return { text: text.slice(0, MAX_RESULT_CHARACTERS), isError: true };
}

function findFiles(root: string): RepositoryFile[] {
  const entries = readdirSync(root, { withFileTypes: true });
  const isCheckout = entries.some((entry) => entry.isDirectory() && entry.name === "src");
  const folders = isCheckout ? FOLDERS : FOLDERS_WITHOUT_SOURCE;
  const found: Dirent[] = entries.filter((entry) => entry.isFile() && ROOT_FILES.test(entry.name));
  for (const entry of entries) {
    if (!entry.isDirectory() || !folders.includes(entry.name)) continue;
    found.push(...readdirSync(join(root, entry.name), { recursive: true, withFileTypes: true }));
  }
  return found
    .filter((entry) => entry.isFile() && (TEXT_FILES.test(entry.name) || entry.name === "LICENSE"))
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return { path: relative(root, file).split(sep).join("/"), bytes: statSync(file).size };
    })
    .filter(({ path, bytes }) => bytes > 0 && bytes <= MAX_FILE_BYTES && !NOT_FOR_AGENTS.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
