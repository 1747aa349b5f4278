import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openJournal, UnusableStoreError } from "../../../src/store/index.ts";
import { type Driver, loadDriver, type SqlRow } from "../../../src/store/sqlite/driver.ts";
import { appendRows, rejection, SESSION } from "../../support/journal-requests.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { copyOfStore, storeFolder } from "../../support/store-folder.ts";
import { storeProcesses } from "../../support/store-process.ts";

const run = storeProcesses();

const OPEN_AND_TELL = `
  const startedAt = performance.now();
  const log = { debug() {}, info() {}, warn: (fields) => say(fields), error: (fields) => say(fields) };
  try {
    const journal = await openJournal({ kind: "sqlite", path: folder }, { log });
    say({ rows: (await journal.load(key))?.tail.length ?? 0 });
    await journal.close();
  } catch (error) {
    say({ name: error.name, message: error.message, seconds: (performance.now() - startedAt) / 1000 });
    process.exitCode = 3;
  }
`;

/** A folder with a store of three rows, orderly closed. */
async function closedStore(): Promise<string> {
  const folder = storeFolder();
  const journal = await openJournal({ kind: "sqlite", path: folder });
  await appendRows(journal, 1, 3);
  await journal.close();
  return copyOfStore(folder);
}

async function refusal(folder: string): Promise<Error> {
  const error = await rejection(openJournal({ kind: "sqlite", path: folder }));
  expect(error).toBeInstanceOf(UnusableStoreError);
  expect(error.message).not.toContain("\n");
  return error;
}

/** Runs SQL on the store's file as somebody else's program would. */
async function tamper(folder: string, sql: string): Promise<string> {
  const connection = (await loadDriver()).open(join(folder, "contextd.db"), 0);
  connection.exec(sql);
  connection.close();
  return copyOfStore(folder);
}

describe("the data folder", () => {
  it("is made for its owner alone, and so are its files", async () => {
    const folder = join(storeFolder(), "new", "data");
    const journal = await openJournal({ kind: "sqlite", path: folder });
    await appendRows(journal, 1, 1);
    const mode = (name: string) => (statSync(join(folder, name)).mode & 0o777).toString(8);
    expect(mode(".")).toBe("700");
    expect([mode("contextd.db"), mode("contextd.db-wal")]).toEqual(["600", "600"]);
    await journal.close();
    expect(mode("contextd.clean")).toBe("600");
  });

  it("is closed to others when it was open to them and holds nothing else", async () => {
    const folder = await closedStore();
    chmodSync(folder, 0o755);
    chmodSync(join(folder, "contextd.db"), 0o644);
    await (await openJournal({ kind: "sqlite", path: folder })).close();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "contextd.db")).mode & 0o777).toBe(0o600);
  });

  it("keeps its mode when it holds other things", async () => {
    const folder = storeFolder();
    writeFileSync(join(folder, "notes.txt"), "mine");
    chmodSync(folder, 0o755);
    await (await openJournal({ kind: "sqlite", path: folder })).close();
    expect(statSync(folder).mode & 0o777).toBe(0o755);
    expect(statSync(join(folder, "contextd.db")).mode & 0o777).toBe(0o600);
  });

  it("is refused in one line when it is a file", async () => {
    const folder = join(storeFolder(), "data");
    writeFileSync(folder, "");
    expect((await refusal(folder)).message).toMatch(/^The data folder .*data cannot be used \(EEXIST\)\. /);
  });

  it("is refused in one line when the database's place is taken by a folder", async () => {
    const folder = storeFolder();
    mkdirSync(join(folder, "contextd.db", "x"), { recursive: true });
    expect((await refusal(folder)).message).toContain("contextd.db");
  });
});

describe("a second daemon on the same data folder", () => {
  it("is told so within two seconds, and the first goes on", async () => {
    const folder = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: folder });
    await appendRows(journal, 1, 1);
    const ending = await run(OPEN_AND_TELL, folder);
    expect(ending.code).toBe(3);
    const told = JSON.parse(ending.lines[0] ?? "null");
    expect(told.name).toBe("UnusableStoreError");
    expect(told.message).toContain("is in use by another process. Stop the daemon that uses it, or");
    expect(told.seconds).toBeLessThan(2);
    await appendRows(journal, 2, 3);
    expect(await journal.verify(SESSION)).toEqual({ rows: 3, brokenAt: null });
    await journal.close();
  });

  it("is not kept out by the lock of one that was killed", async () => {
    const folder = storeFolder();
    const killed = await run(
      `const journal = await openJournal({ kind: "sqlite", path: folder });
       await journal.append(request(1));
       die();`,
      folder,
    );
    expect(killed.signal).toBe("SIGKILL");
    const next = await run(OPEN_AND_TELL, folder);
    expect(next.lines.at(-1)).toBe('{"rows":1}');
  });
});

describe("the check at the start", () => {
  it("is left out after an orderly stop", async () => {
    const folder = storeFolder();
    const script = `
      const journal = await openJournal({ kind: "sqlite", path: folder });
      for (let n = 1; n <= 3; n++) await journal.append(request(n));
      await journal.close();`;
    await run(script, folder);
    expect((await run(OPEN_AND_TELL, folder)).lines).toEqual(['{"rows":3}']);
    expect((await run(OPEN_AND_TELL, folder)).lines).toEqual(['{"rows":3}']);
  });

  it("is quick_check after a stop that was not orderly", async () => {
    const folder = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: folder });
    await appendRows(journal, 1, 3);
    const crashed = copyOfStore(folder);
    await journal.close();
    const log = new RecordingLog();
    const reopened = await openJournal({ kind: "sqlite", path: crashed }, { log });
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ check: "quick_check", stop: "unclean" }]);
    expect((await reopened.load(SESSION))?.tail).toHaveLength(3);
    await reopened.close();
  });

  it("is integrity_check when the file has changed since its orderly stop", async () => {
    const folder = await closedStore();
    utimesSync(join(folder, "contextd.db"), 1, 1);
    const log = new RecordingLog();
    await (await openJournal({ kind: "sqlite", path: folder }, { log })).close();
    expect(log.lines.map(({ fields }) => fields)).toEqual([{ check: "integrity_check", stop: "changed" }]);
  });
});

describe("a store of schema version 1", () => {
  /** As the version before wrote it: without what was learned of models. */
  const versionOne = async () =>
    tamper(await closedStore(), "DROP TABLE closed_session; DROP TABLE learned; PRAGMA user_version = 1");

  it("is brought up to date, with all that is in it", async () => {
    const journal = await openJournal({ kind: "sqlite", path: await versionOne() });
    expect((await journal.load(SESSION))?.tail).toHaveLength(3);
    expect(await journal.learned()).toEqual([]);
    await appendRows(journal, 4, 4, () => ({ learned: { model: "m", body: "{}" } }));
    expect(await journal.learned()).toMatchObject([{ tenant: SESSION.tenant, model: "m" }]);
    await journal.close();
  });

  it("is still one of version 1 when the daemon is killed on the way, and is brought up to date by the next", async () => {
    const folder = await versionOne();
    const ending = await run(
      `await openJournal({ kind: "sqlite", path: folder, failpoint: (name) => { if (name === "mid_migration") die(); } });`,
      folder,
    );
    expect(ending.signal).toBe("SIGKILL");
    const left = (await loadDriver()).open(join(copyOfStore(folder), "contextd.db"), 0);
    expect(left.prepare("PRAGMA user_version").get([])).toEqual([1]);
    left.close();
    const journal = await openJournal({ kind: "sqlite", path: copyOfStore(folder) });
    expect((await journal.load(SESSION))?.tail).toHaveLength(3);
    expect(await journal.learned()).toEqual([]);
    await journal.close();
  });
});

describe("a store of schema version 2", () => {
  it("lists the sessions that were closed before, in their order, and those that close from then on", async () => {
    const before = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: before });
    const key = (id: string) => ({ tenant: 'a"c', id });
    for (const id of ["first", "pruned", "second/1"]) {
      await appendRows(journal, 1, 2, () => ({ key: key(id) }));
      if (id !== "pruned") await appendRows(journal, 3, 3, () => ({ key: key(id), closed: true }));
    }
    await appendRows(journal, 3, 4, (position) => ({ key: key("pruned"), closed: position === 4, snapshot: "{}" }));
    await appendRows(journal, 1, 2, () => ({ key: key("open") }));
    await journal.prune({ closedBefore: Date.now() });
    await journal.close();
    const folder = await tamper(copyOfStore(before), "DROP TABLE closed_session; PRAGMA user_version = 2");
    const next = await openJournal({ kind: "sqlite", path: folder });
    const listed = async () => (await next.closedSessions({ tenant: 'a"c', limit: 9 })).map((each) => each.key.id);
    expect(await listed()).toEqual(["second/1", "first"]);
    await appendRows(next, 3, 3, () => ({ key: key("open"), closed: true }));
    expect(await listed()).toEqual(["open", "second/1", "first"]);
    await next.close();
  });

  it("tells nothing of a session that its order of closing names wrongly", async () => {
    const before = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: before });
    await appendRows(journal, 1, 1, () => ({ key: { tenant: "ours", id: "a" }, closed: true }));
    await appendRows(journal, 1, 1, () => ({ key: { tenant: "theirs", id: "b" }, closed: true }));
    await journal.close();
    const folder = await tamper(copyOfStore(before), "UPDATE closed_session SET tenant = 'ours'");
    const next = await openJournal({ kind: "sqlite", path: folder });
    const listed = await next.closedSessions({ tenant: "ours", limit: 9 });
    expect(listed.map(({ damaged }) => damaged)).toEqual([true, false]);
    await next.close();
  });
});

describe("a store that cannot be used is refused in one line with the cure", () => {
  it("when a newer contextd wrote it", async () => {
    const folder = await tamper(await closedStore(), "PRAGMA user_version = 999");
    expect((await refusal(folder)).message).toMatch(
      /schema version 999; this contextd knows up to 3\. Start the newer/,
    );
  });

  it("when its version is impossible", async () => {
    const folder = await tamper(await closedStore(), "PRAGMA user_version = 0");
    expect((await refusal(folder)).message).toContain("schema version 0");
  });

  it("when it is the database of another program, which it leaves as it is", async () => {
    const folder = storeFolder();
    writeFileSync(join(folder, "contextd.db"), "");
    const foreign = await tamper(folder, "CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)");
    const before = readFileSync(join(foreign, "contextd.db"));
    expect((await refusal(foreign)).message).toContain("is not a store of contextd");
    expect(readFileSync(join(foreign, "contextd.db")).equals(before)).toBe(true);
  });

  it("when it is no database", async () => {
    const folder = await closedStore();
    writeFileSync(join(folder, "contextd.db"), "this is a text file, not a database. ".repeat(200));
    expect((await refusal(folder)).message).toMatch(
      /is damaged \(.*not a database\)\. Restore the folder from a backup/,
    );
  });

  it("when it is empty", async () => {
    const folder = await closedStore();
    truncateSync(join(folder, "contextd.db"));
    expect((await refusal(folder)).message).toMatch(/is empty \(0 bytes\): its content is lost\. Restore .* mv '/);
  });

  it("when it is missing beside its companions", async () => {
    const folder = await closedStore();
    rmSync(join(folder, "contextd.db"));
    expect((await refusal(folder)).message).toContain("is missing");
  });

  it("when its end is cut off", async () => {
    const folder = await closedStore();
    truncateSync(join(folder, "contextd.db"), 4096 * 3);
    expect((await refusal(folder)).message).toContain("is damaged");
  });

  it("when a table is missing", async () => {
    const folder = await tamper(await closedStore(), "DROP TABLE snapshot");
    expect((await refusal(folder)).message).toMatch(/is damaged \(.*no such table: snapshot\)/);
  });

  it("when SQLite does not keep a setting that the store relies on", async () => {
    const real = await loadDriver();
    const forgetful: Driver = {
      name: "forgetful",
      open(file, busyMs) {
        const connection = real.open(file, busyMs);
        return {
          get inTransaction() {
            return connection.inTransaction;
          },
          exec: (sql) => connection.exec(sql),
          close: () => connection.close(),
          prepare(sql) {
            const statement = connection.prepare(sql);
            const wrong: SqlRow = [1];
            return sql === "PRAGMA synchronous"
              ? { ...statement, run: () => undefined, all: () => [wrong], get: () => wrong }
              : statement;
          },
        };
      },
    };
    const error = await rejection(openJournal({ kind: "sqlite", path: storeFolder() }, { driver: forgetful }));
    expect(error).toBeInstanceOf(UnusableStoreError);
    expect(error.message).toContain("keeps synchronous");
  });

  it.each(["NORMAL", "OFF"] as const)("but not when a test asks for synchronous=%s", async (synchronous) => {
    const journal = await openJournal({ kind: "sqlite", path: storeFolder(), unsafe: { synchronous } });
    await appendRows(journal, 1, 1);
    await journal.close();
  });

  it("when this build does not have it", async () => {
    const error = await rejection(openJournal({ kind: "postgres", url: "postgres://localhost/contextd" }));
    expect(error).toBeInstanceOf(UnusableStoreError);
    expect(error.message).toBe(
      "This build has no PostgreSQL store. Set store.kind to sqlite (a file in store.path) or memory.",
    );
  });
});
