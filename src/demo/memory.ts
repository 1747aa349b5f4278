import { posix } from "node:path";
import type { Step } from "./tools.ts";

/** Something that an agent has come across. */
export interface Finding {
  readonly path: string;
  readonly name: string;
}

const DECLARATION = /^export (?:async )?(?:function\*?|class|interface|const|type) (\w{4,60})/gm;
const HEADING = /^#{1,3} (.{4,60})$/gm;
const KEY = /^ {0,4}"?([a-z][a-z_]{4,40})"?:/gm;
const IMPORT = /from "(\.{1,2}\/[\w./-]+)"/g;

/** Names that one file gives at most: the long ones must not crowd out the others. */
const NAMES_OF_A_FILE = 12;
/** Reads that nobody repeats yet. */
const RECENT_READS = 6;

/** What an agent remembers of what it read: names worth looking for, and files worth reading next. */
export class Memory {
  readonly #findings: Finding[] = [];
  readonly #next: string[] = [];
  readonly #read = new Set<string>();
  /** What was asked for, the oldest first. */
  readonly #reads: Step[] = [];

  /** Everything found so far, the oldest first. */
  get findings(): readonly Finding[] {
    return this.#findings;
  }

  get filesRead(): number {
    return this.#read.size;
  }

  hasRead(path: string): boolean {
    return this.#read.has(path);
  }

  /** Keeps a call that brought the text of a file. */
  keep(step: Step): void {
    this.#reads.push(step);
  }

  /** Calls that brought text, but for the latest ones: what they showed may have changed, or have been forgotten. */
  get earlierReads(): readonly Step[] {
    return this.#reads.slice(0, -RECENT_READS);
  }

  /** Notes what a file's text declares and imports; answers the names. */
  learn(path: string, text: string): readonly string[] {
    this.#read.add(path);
    const pattern = path.endsWith(".md") ? HEADING : /\.[mc]?[jt]s$/.test(path) ? DECLARATION : KEY;
    const found = [...text.matchAll(pattern)].map((match) => (match[1] as string).replaceAll("`", ""));
    const names = [...new Set(found)].slice(0, NAMES_OF_A_FILE);
    for (const name of names) this.#findings.push({ path, name });
    for (const match of text.matchAll(IMPORT)) this.#next.push(posix.join(posix.dirname(path), match[1] as string));
    return names;
  }

  /** Files that a search has shown. */
  see(paths: readonly string[]): void {
    this.#next.push(...paths);
  }

  /** The file to read next that was come across last; undefined when all are read. */
  takeNext(): string | undefined {
    for (let path = this.#next.pop(); path !== undefined; path = this.#next.pop()) {
      if (!this.#read.has(path)) return path;
    }
    return undefined;
  }
}
