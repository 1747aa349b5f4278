import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { UnusableStoreError } from "../errors.ts";

/*
 * The data folder: contextd.db, its write-ahead log, and two markers.
 *
 * contextd.creating  exists from before the database file is made until its schema is committed: only beside it
 *                    is an empty file a store that was never used, and not one that was lost.
 * contextd.clean     is written after an orderly stop and tells size and time of the database file then; removed
 *                    at the next start. Absent: the last stop was not clean. Different: the file was changed since.
 *
 * While a connection is open nothing here may open the database file or its log, not even to read: closing the
 * descriptor would drop every POSIX lock that the process has on the file. stat is harmless.
 */

export interface StoreFiles {
  readonly folder: string;
  readonly database: string;
  readonly log: string;
  readonly creating: string;
  readonly clean: string;
}

const PREFIX = "contextd.";

function filesIn(folder: string): StoreFiles {
  return {
    folder,
    database: join(folder, `${PREFIX}db`),
    log: join(folder, `${PREFIX}db-wal`),
    creating: join(folder, `${PREFIX}creating`),
    clean: join(folder, `${PREFIX}clean`),
  };
}

/** Whether there is a store in the folder. Nothing is made or opened. */
export function holdsStore(path: string): boolean {
  return existsSync(filesIn(resolve(path)).database);
}

/** Makes the folder, for its owner alone. A folder that holds other things as well keeps its mode. */
export function prepareFolder(path: string): StoreFiles {
  const folder = resolve(path);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const onlyOurs = readdirSync(folder).every((name) => name.startsWith(PREFIX));
    if (onlyOurs && (statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700);
  } catch (error) {
    throw new UnusableStoreError(
      `The data folder ${folder} cannot be used (${codeOf(error)}).`,
      "Make it a folder that belongs to the daemon's user, or name another with --data.",
      { cause: error },
    );
  }
  return filesIn(folder);
}

export function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** Writes a small file so that it is on disk, its name too. */
function writeMarker(files: StoreFiles, file: string, text: string): void {
  const descriptor = openSync(file, "w", 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  syncFolder(files);
}

function syncFolder(files: StoreFiles): void {
  // Windows cannot open a folder; its file systems journal names by themselves.
  if (process.platform === "win32") return;
  const descriptor = openSync(files.folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** How the store was left, as seen before it is opened. */
export interface LeftBehind {
  readonly isNew: boolean;
  /** `clean`: as an orderly stop left it; `changed`: written by somebody else since; `unclean`: no orderly stop. */
  readonly stop: "clean" | "changed" | "unclean";
}

/** Looks at the folder and, where there is no store yet, makes an empty database file. */
export function findStore(files: StoreFiles): LeftBehind {
  if (existsSync(files.database)) {
    if ((statSync(files.database).mode & 0o077) !== 0) chmodSync(files.database, 0o600);
    if (sizeOf(files.database) === 0 && !existsSync(files.creating)) {
      throw new UnusableStoreError(`The store ${files.database} is empty (0 bytes): its content is lost.`, cure(files));
    }
    return { isNew: existsSync(files.creating), stop: stopOf(files) };
  }
  if (existsSync(files.clean) || sizeOf(files.log) > 0) {
    throw new UnusableStoreError(
      `The store ${files.database} is missing, but its companion files are there.`,
      cure(files),
    );
  }
  writeMarker(files, files.creating, "");
  closeSync(openSync(files.database, "a", 0o600));
  syncFolder(files);
  return { isNew: true, stop: "unclean" };
}

function stopOf(files: StoreFiles): LeftBehind["stop"] {
  if (!existsSync(files.clean)) return "unclean";
  return readFileSync(files.clean, "utf8") === fingerprint(files) && sizeOf(files.log) === 0 ? "clean" : "changed";
}

function fingerprint(files: StoreFiles): string {
  const { size, mtimeNs } = statSync(files.database, { bigint: true });
  return `${JSON.stringify({ bytes: Number(size), changed: String(mtimeNs) })}\n`;
}

/** The store is in use from here on: a stop without `markClean` is not a clean one. */
export function markUsed(files: StoreFiles): void {
  rmSync(files.clean, { force: true });
  rmSync(files.creating, { force: true });
  syncFolder(files);
}

/** To be called after the connection is closed. */
export function markClean(files: StoreFiles): void {
  writeMarker(files, files.clean, fingerprint(files));
}

/** The way out when the store's content cannot be trusted. */
export function cure(files: StoreFiles): string {
  return (
    `Restore the folder from a backup; or save what can be read: sqlite3 '${files.database}' .recover; ` +
    `or start empty: mv '${files.folder}' '${files.folder}.damaged'.`
  );
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
