import { systemClock } from "../model/clock.ts";
import { silentLog } from "../model/log.ts";
import { UnusableStoreError } from "./errors.ts";
import type { Journal } from "./journal.ts";
import { MemoryJournal } from "./memory/memory-journal.ts";
import type { JournalDependencies, JournalOptions } from "./options.ts";
import { type Driver, loadDriver } from "./sqlite/driver.ts";
import { SqliteJournal } from "./sqlite/sqlite-journal.ts";

export { UnusableStoreError } from "./errors.ts";
export type { Journal } from "./journal.ts";
export type { JournalDependencies, JournalOptions } from "./options.ts";
export { holdsStore } from "./sqlite/folder.ts";

const DEFAULT_QUEUE = 2000;

type Opener = (options: JournalOptions, dependencies: JournalDependencies) => Promise<Journal>;

const KINDS: Readonly<Record<Journal["kind"], Opener>> = {
  memory: async () => new MemoryJournal(),
  sqlite: openSqlite,
  postgres: async () => {
    throw new UnusableStoreError(
      "This build has no PostgreSQL store.",
      "Set store.kind to sqlite (a file in store.path) or memory.",
    );
  },
};

/** Opens the journal that the options ask for. Rejects with UnusableStoreError: one line, with the cure. */
export function openJournal(options: JournalOptions, dependencies: JournalDependencies = {}): Promise<Journal> {
  return KINDS[options.kind](options, dependencies);
}

async function openSqlite(options: JournalOptions, dependencies: JournalDependencies): Promise<Journal> {
  const driver = dependencies.driver ?? (await bestDriver());
  return new SqliteJournal(
    {
      path: options.path ?? "./data",
      queue: options.queue ?? DEFAULT_QUEUE,
      checkpoint: options.checkpoint ?? {},
      failpoint: options.failpoint ?? (() => undefined),
      unsafe: options.unsafe ?? {},
    },
    { driver, clock: dependencies.clock ?? systemClock, log: dependencies.log ?? silentLog },
  );
}

async function bestDriver(): Promise<Driver> {
  try {
    return await loadDriver();
  } catch (error) {
    throw new UnusableStoreError(
      "No SQLite binding can be loaded on this machine.",
      "Install the dependencies for it (npm ci), or set store.kind to memory.",
      { cause: error },
    );
  }
}
