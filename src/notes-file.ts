import { mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, format, parse } from "node:path";
import type { Logger } from "./log.ts";
import { contentHash } from "./model/content-hash.ts";
import type { Observer, PublishedEvent } from "./model/events.ts";
import type { SessionKey } from "./model/session-key.ts";

/** A note as its reader sees it. */
export interface NoteForPeople {
  readonly note_id: string;
  readonly category: string;
  readonly importance: string;
  readonly text: string;
}

export interface NotesFileDependencies {
  /** The file that the config names for sessions of a profile; null: none. */
  readonly fileOf: (profile: string) => string | null;
  /** A session's notes in the order in which they are shown. */
  readonly notesOf: (key: SessionKey) => Promise<readonly NoteForPeople[]>;
  readonly log: Pick<Logger, "warn">;
}

/** Characters of a session's id that its file's name shows. */
const SHOWN_ID = 64;
/** Hex digits of the hash that keeps two sessions' files apart. */
const HASH = 12;

/**
 * Writes each session's notes as Markdown for people, a file a session, whenever they have changed: after the call was
 * answered, one file at a time, whole and by renaming. Sessions whose notes change faster than that are written once.
 * A file that cannot be written is told in the log; the next note tries again.
 */
export class NotesFile implements Observer {
  readonly name = "notes file";
  readonly #deps: NotesFileDependencies;
  readonly #changed = new Map<string, { readonly key: SessionKey; readonly path: string }>();
  #writing: Promise<void> = Promise.resolve();
  #idle = true;

  constructor(dependencies: NotesFileDependencies) {
    this.#deps = dependencies;
  }

  observe(events: readonly PublishedEvent[]): void {
    for (const { type, tenant, session, labels } of events) {
      if ((type !== "note.written" && type !== "note.removed") || session === null || labels === null) continue;
      const file = this.#deps.fileOf(labels.profile);
      if (file === null) continue;
      const key = { tenant, id: session };
      const path = notesPath(file, key);
      this.#changed.set(path, { key, path });
    }
    if (!this.#idle || this.#changed.size === 0) return;
    this.#idle = false;
    this.#writing = this.#write();
  }

  /** Resolves when all that has changed is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    for (let [next] = this.#changed.values(); next; [next] = this.#changed.values()) {
      const { key, path } = next;
      // The call that changed them is answered first, and what else changes meanwhile is written with it.
      await new Promise((resolve) => setImmediate(resolve));
      this.#changed.delete(path);
      try {
        await replaceFile(path, markdown(key.id, await this.#deps.notesOf(key)));
      } catch (error) {
        this.#deps.log.warn({ err: error, tenant: key.tenant }, "a session's notes could not be written to their file");
      }
    }
    this.#idle = true;
  }
}

/** `notes.md` as `notes.<session>-<hash>.md`: the id, which an agent chose, is shown as far as a name can hold it. */
export function notesPath(file: string, { tenant, id }: SessionKey): string {
  const { dir, name, ext } = parse(file);
  const shown = id.slice(0, SHOWN_ID).replace(/[^A-Za-z0-9_-]/g, "_");
  const hash = contentHash(JSON.stringify([tenant, id])).slice(0, HASH);
  return format({ dir, name: `${name}.${shown}-${hash}`, ext: ext === "" ? ".md" : ext });
}

async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

function markdown(id: string, notes: readonly NoteForPeople[]): string {
  const title = `# Notes of ${JSON.stringify(id)}\n`;
  const sections = notes.map(
    ({ note_id, category, importance, text }) => `\n## ${note_id} (${category}, ${importance})\n\n${text.trimEnd()}\n`,
  );
  return [title, ...sections].join("");
}
