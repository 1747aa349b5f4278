import type { Call } from "./call.ts";
import type { CallResult, FactFinder } from "./finder.ts";
import type { FileAction } from "./shell.ts";

/** Files that are told at most. */
const MOST = 40;

interface Known {
  /** The longest form of the path that was used. */
  path: string;
  readonly actions: Set<FileAction>;
  /** Order of the last use, and of the last change. */
  used: number;
  changed: number;
}

/**
 * The files that calls named: `path (created, edited)`. Changed files first, then those that were only read; the
 * latest first of each. A call that failed touched nothing.
 */
export class FileFinder implements FactFinder {
  /** By the last part of the path, since one file is named absolutely and relatively. */
  readonly #byName = new Map<string, Known[]>();
  readonly #unanswered = new Set<Call>();
  #order = 0;
  /** The file that was used last. */
  #last: string | null = null;

  call(call: Call): void {
    if (call.files.length > 0) this.#unanswered.add(call);
  }

  result({ call, failed }: CallResult): void {
    if (call === null) return;
    this.#unanswered.delete(call);
    if (failed) return;
    this.#touch(call);
    // Editors of a shell change the file that they have open.
    if (call.files.length === 0 && /^edit\b/.test(call.key) && this.#last !== null) this.#use(this.#last, "edited");
  }

  facts(): { files: string[] } {
    for (const call of this.#unanswered) this.#touch(call);
    this.#unanswered.clear();
    const known = [...this.#byName.values()].flat();
    known.sort((a, b) => b.changed - a.changed || b.used - a.used);
    return { files: known.slice(0, MOST).map(({ path, actions }) => `${path} (${namesOf(actions)})`) };
  }

  #touch(call: Call): void {
    for (const { path, action } of call.files) this.#use(path, action);
  }

  #use(path: string, action: FileAction): void {
    this.#last = path;
    const known = this.#find(path);
    known.used = ++this.#order;
    if (action !== "read") known.changed = this.#order;
    // What was there before is changed by writing it; what was made here is still a new file when it is changed.
    const wasThere = known.actions.size > 0 && !known.actions.has("deleted");
    known.actions.add(action === "created" && wasThere ? "edited" : action);
    if (action !== "deleted") known.actions.delete("deleted");
  }

  #find(path: string): Known {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const same = this.#byName.get(name) ?? [];
    let known = same.find(
      (other) => other.path === path || other.path.endsWith(`/${path}`) || path.endsWith(`/${other.path}`),
    );
    if (known === undefined) {
      known = { path, actions: new Set(), used: 0, changed: 0 };
      this.#byName.set(name, [...same, known]);
    } else if (path.length > known.path.length) {
      known.path = path;
    }
    return known;
  }
}

/** Reading is not worth a word where a file was changed; of what is deleted nothing else matters. */
function namesOf(actions: ReadonlySet<FileAction>): string {
  if (actions.has("deleted")) return actions.has("created") ? "created, deleted" : "deleted";
  const changes = (["created", "edited"] as const).filter((action) => actions.has(action));
  return changes.length > 0 ? changes.join(", ") : "read";
}
