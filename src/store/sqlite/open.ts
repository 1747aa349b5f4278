import type { Log } from "../../model/log.ts";
import { UnusableStoreError } from "../errors.ts";
import type { Failpoint, UnsafeOptions } from "../options.ts";
import { type Connection, type Driver, type Fault, faultOf, type SqlValue } from "./driver.ts";
import { codeOf, cure, findStore, type LeftBehind, markUsed, prepareFolder, type StoreFiles } from "./folder.ts";
import { APPLICATION_ID, migrate, SCHEMA_VERSION } from "./schema.ts";

export interface OpenOptions {
  readonly path: string;
  readonly failpoint: (name: Failpoint) => void;
  readonly unsafe: UnsafeOptions;
}

export interface OpenDependencies {
  readonly driver: Driver;
  readonly log: Log;
}

export interface OpenStore {
  readonly connection: Connection;
  readonly files: StoreFiles;
}

/** Long enough for the last commit of a daemon that is just stopping; a second daemon is told within 2 s. */
const BUSY_MS = 500;

/** SQLite's codes for the settings below. */
const SYNCHRONOUS = { OFF: 0, NORMAL: 1, FULL: 2 } as const;

/**
 * The one place that opens the store's file, and the file's one connection: with the SQLite of libsql (3.45) a
 * second one that checkpoints corrupts the file. Throws UnusableStoreError.
 */
export function openStore(options: OpenOptions, { driver, log }: OpenDependencies): OpenStore {
  const files = prepareFolder(options.path);
  const left = explained(files, () => findStore(files));
  const connection = explained(files, () => driver.open(files.database, BUSY_MS));
  try {
    explained(files, () => {
      // Before anything is written: a file that is not ours stays as it is.
      connection.exec("PRAGMA locking_mode = EXCLUSIVE");
      const version = ownVersion(connection, files, left.isNew);
      configure(connection, files, version === 0, options.unsafe);
      if (version > 0) checkPages(connection, files, left, log);
      migrate(connection, version, options.failpoint);
      markUsed(files);
    });
  } catch (error) {
    connection.close();
    throw error;
  }
  return { connection, files };
}

/** Schema version of the file; 0 for one that is just being made. Refuses files of others and of newer versions. */
function ownVersion(connection: Connection, files: StoreFiles, isNew: boolean): number {
  const version = Number(pragma(connection, "user_version"));
  const application = Number(pragma(connection, "application_id"));
  if (version === 0 && application === 0 && isNew && tableCount(connection) === 0) return 0;
  if (application !== APPLICATION_ID) {
    throw new UnusableStoreError(
      `${files.database} is not a store of contextd (application id ${application}).`,
      `Move it away, or name another data folder with --data.`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new UnusableStoreError(
      `The store ${files.database} has schema version ${version}; this contextd knows up to ${SCHEMA_VERSION}.`,
      "Start the newer contextd that wrote it, or name another data folder with --data.",
    );
  }
  if (version < 1) {
    throw new UnusableStoreError(
      `The store ${files.database} has the impossible schema version ${version}.`,
      cure(files),
    );
  }
  return version;
}

function tableCount(connection: Connection): number {
  return Number(connection.prepare("SELECT count(*) FROM sqlite_schema").get([])?.[0]);
}

/** Sets what the store relies on and reads each setting back: a build of SQLite may silently refuse one. */
function configure(connection: Connection, files: StoreFiles, isNew: boolean, unsafe: UnsafeOptions): void {
  const synchronous = unsafe.synchronous ?? "FULL";
  // Has an effect only before the first page is written.
  if (isNew) connection.exec("PRAGMA auto_vacuum = INCREMENTAL");
  const settings: readonly (readonly [name: string, value: string | number, readBack: SqlValue])[] = [
    ["locking_mode", "EXCLUSIVE", "exclusive"],
    ["journal_mode", "WAL", "wal"],
    ["synchronous", synchronous, SYNCHRONOUS[synchronous]],
    ["wal_autocheckpoint", 0, 0],
    ["journal_size_limit", 64 * 1024 * 1024, 64 * 1024 * 1024],
    ["cell_size_check", "ON", 1],
    ["trusted_schema", "OFF", 0],
    // Temporary files would carry content out of the data folder.
    ["temp_store", "MEMORY", 2],
    ["cache_size", -16_384, -16_384],
  ];
  for (const [name, value] of settings) connection.exec(`PRAGMA ${name} = ${value}`);
  for (const [name, , expected] of [...settings, ["auto_vacuum", "", 2] as const]) {
    const found = pragma(connection, name);
    if (found !== expected) {
      throw new UnusableStoreError(
        `SQLite keeps ${name} of ${files.database} at ${found} where the store needs ${expected}.`,
        "Install contextd's own SQLite binding again (npm ci), or move the data folder to a local file system.",
      );
    }
  }
}

function pragma(connection: Connection, name: string): SqlValue | undefined {
  return connection.prepare(`PRAGMA ${name}`).get([])?.[0];
}

/**
 * After a crash: quick_check, which reads every page. On a file that somebody changed since its orderly stop (a
 * restored backup, or damage): integrity_check, which compares the indexes too. The findings are read as bytes,
 * since they may quote damaged text.
 */
function checkPages(connection: Connection, files: StoreFiles, left: LeftBehind, log: Log): void {
  if (left.stop === "clean") return;
  const check = left.stop === "unclean" ? "quick_check" : "integrity_check";
  log.warn({ check, stop: left.stop }, "the store was not left by an orderly stop: its pages are checked");
  const finding = connection.prepare(`SELECT CAST(${check} AS BLOB) FROM pragma_${check} LIMIT 1`).get([])?.[0];
  const text = finding instanceof Uint8Array ? Buffer.from(finding).toString("utf8") : "no answer";
  if (text === "ok") return;
  throw new UnusableStoreError(`The store ${files.database} is damaged (${text.slice(0, 200)}).`, cure(files));
}

/** Turns whatever keeps the store from opening into one line with a cure. */
export function explained<T>(files: StoreFiles, open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof UnusableStoreError) throw error;
    const explain = EXPLANATIONS[faultOf(error)] ?? EXPLANATIONS.other;
    const [problem, what] = explain(files, error);
    throw new UnusableStoreError(problem, what, { cause: error });
  }
}

type Explanation = (files: StoreFiles, error: unknown) => readonly [problem: string, cure: string];

const damaged: Explanation = (files, error) => [
  `The store ${files.database} is damaged (${error instanceof Error ? error.message : error}).`,
  cure(files),
];

const noAccess: Explanation = (files, error) => [
  `The store ${files.database} cannot be opened (${codeOf(error)}).`,
  "Give the daemon's user read and write permission on the data folder and its files.",
];

const EXPLANATIONS: Partial<Record<Fault, Explanation>> & { readonly other: Explanation } = {
  busy: (files) => [
    `The data folder ${files.folder} is in use by another process.`,
    "Stop the daemon that uses it, or give this one a folder of its own with --data.",
  ],
  full: (files) => [`The disk of ${files.folder} is full.`, "Free some space and start again."],
  io: (files, error) => [
    `The disk of ${files.folder} failed (${codeOf(error)}).`,
    "Check the disk and the kernel's log, then start again.",
  ],
  corrupt: damaged,
  not_a_database: damaged,
  access: noAccess,
  other: (files, error) => {
    const code = codeOf(error);
    if (code === "EACCES" || code === "EPERM" || code === "EROFS") return noAccess(files, error);
    if (code === "ENOSPC") return [`The disk of ${files.folder} is full.`, "Free some space and start again."];
    return damaged(files, error);
  },
};
