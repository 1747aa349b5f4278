import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/store/index.ts";
import type { Journal } from "../../../src/store/journal.ts";
import type { JournalOptions } from "../../../src/store/options.ts";
import { type Connection, type Driver, loadDriver, type Statement } from "../../../src/store/sqlite/driver.ts";
import { appendRequest, appendRows, content, rejection, SESSION } from "../../support/journal-requests.ts";
import { storeFolder } from "../../support/store-folder.ts";

/** A disk that fails at chosen statements: a fake of the driver seam that throws SQLite's errors. */
class FailingDisk implements Driver {
  readonly name = "failing";
  readonly #real: Driver;
  readonly #failures: { readonly at: string; readonly code: string; readonly on: readonly number[]; seen: number }[] =
    [];
  commits = 0;
  failed = 0;

  constructor(real: Driver) {
    this.#real = real;
  }

  /** The statements that begin with `at` fail from here on at their nth runs, counted from 1. */
  fail(at: string, code: string, on: readonly number[] = [1]): void {
    this.#failures.push({ at, code, on, seen: 0 });
  }

  #check(sql: string): void {
    if (sql === "COMMIT") this.commits++;
    for (const failure of this.#failures) {
      if (!sql.startsWith(failure.at) || !failure.on.includes(++failure.seen)) continue;
      this.failed++;
      throw Object.assign(new Error(`simulated ${failure.code}`), { code: failure.code });
    }
  }

  open(file: string, busyMs: number): Connection {
    const real = this.#real.open(file, busyMs);
    const guard = (sql: string, statement: Statement): Statement => ({
      run: (values) => {
        this.#check(sql);
        statement.run(values);
      },
      get: (values) => {
        this.#check(sql);
        return statement.get(values);
      },
      all: (values) => {
        this.#check(sql);
        return statement.all(values);
      },
    });
    return {
      get inTransaction() {
        return real.inTransaction;
      },
      exec: (sql) => {
        this.#check(sql);
        real.exec(sql);
      },
      prepare: (sql) => guard(sql, real.prepare(sql)),
      close: () => real.close(),
    };
  }
}

async function storeOnFailingDisk(
  options: Partial<JournalOptions> = {},
): Promise<{ journal: Journal; disk: FailingDisk }> {
  const disk = new FailingDisk(await loadDriver());
  const journal = await openJournal({ kind: "sqlite", path: storeFolder(), ...options }, { driver: disk });
  return { journal, disk };
}

const session = (n: number) => ({ tenant: "t", id: `s${n}` });

/** One first row of each of so many sessions, all at once. */
const appendAll = (journal: Journal, count: number) =>
  Promise.allSettled(Array.from({ length: count }, (_, n) => journal.append(appendRequest({ key: session(n) }))));

describe("group commit", () => {
  it("writes what waits in one transaction of at most 128 rows", async () => {
    const { journal, disk } = await storeOnFailingDisk();
    const before = disk.commits;
    await appendAll(journal, 300);
    expect(disk.commits - before).toBe(3);
    expect(
      journal
        .stats()
        .drainCommits()
        .map(({ rows }) => rows),
    ).toEqual([128, 128, 44]);
    await journal.close();
  });

  it("ends a batch at 1 MiB", async () => {
    const { journal } = await storeOnFailingDisk();
    const body = JSON.stringify("x".repeat(300_000));
    await Promise.all([0, 1, 2, 3, 4, 5].map((n) => journal.append(appendRequest({ key: session(n), body }))));
    expect(
      journal
        .stats()
        .drainCommits()
        .map(({ rows }) => rows),
    ).toEqual([4, 2]);
    await journal.close();
  });

  it("keeps rows in the order in which they were given, also behind one whose text is encoded aside", async () => {
    const { journal } = await storeOnFailingDisk();
    const large = content("tool output ".repeat(200_000));
    const [first] = await Promise.all([
      journal.append(appendRequest({ key: session(0), contents: [large] })),
      journal.append(appendRequest({ key: session(1) })),
    ]);
    await journal.append(appendRequest({ key: session(0), sessionSeq: 2, contents: [large] }));
    expect(first.seq).toBe(2);
    expect((await journal.contents([large.hash])).get(large.hash)).toBe(large.body);
    expect(await journal.verify(session(0))).toEqual({ rows: 2, brokenAt: null });
    await journal.close();
  });

  it.each([
    ["the disk is full at a row", { at: "INSERT INTO journal", code: "SQLITE_FULL" }],
    ["the disk is full at the commit", { at: "COMMIT", code: "SQLITE_FULL" }],
    ["the disk fails at the commit", { at: "COMMIT", code: "SQLITE_IOERR_FSYNC" }],
    ["the disk fails at a content", { at: "INSERT INTO content", code: "SQLITE_IOERR_WRITE" }],
    ["the file is locked at the beginning", { at: "BEGIN", code: "SQLITE_BUSY" }],
    ["a page is damaged at a session", { at: "INSERT INTO session", code: "SQLITE_CORRUPT" }],
  ])("refuses the whole batch and stores nothing of it when %s; the next append works", async (_when, { at, code }) => {
    const { journal, disk } = await storeOnFailingDisk();
    await appendRows(journal, 1, 2);
    const text = content("in the batch that fails");
    const batch = () =>
      Promise.allSettled([
        journal.append(appendRequest({ key: session(0), contents: [text] })),
        journal.append(appendRequest({ sessionSeq: 3, idempotencyKey: "k" })),
        journal.append(appendRequest({ key: session(1) })),
      ]);

    disk.fail(at, code);
    const refused = await batch();
    expect(disk.failed).toBe(1);
    for (const outcome of refused) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { reason: "storage_unavailable", retryable: true } });
    }
    expect(await journal.sessions()).toMatchObject([{ key: SESSION, lastSessionSeq: 2 }]);
    expect(await journal.contents([text.hash])).toEqual(new Map());
    expect(await journal.findIdempotent(SESSION, "k")).toBeNull();
    expect(await journal.lastSeq()).toBe(2);

    const accepted = await batch();
    expect(accepted.map((outcome) => outcome.status === "fulfilled" && outcome.value.seq)).toEqual([3, 4, 5]);
    for (const key of [session(0), SESSION, session(1)]) {
      expect((await journal.verify(key)).brokenAt).toBeNull();
    }
    await journal.close();
  });

  it("goes on once a rollback works again that failed", async () => {
    const { journal, disk } = await storeOnFailingDisk();
    await appendRows(journal, 1, 1);
    disk.fail("INSERT INTO journal", "SQLITE_FULL");
    // The failed batch's own, and the one with which the next batch begins.
    disk.fail("ROLLBACK", "SQLITE_IOERR", [1, 2]);
    for (const _attempt of [1, 2]) {
      expect(await rejection(journal.append(appendRequest({ sessionSeq: 2 })))).toMatchObject({
        reason: "storage_unavailable",
      });
    }
    expect(disk.failed).toBe(3);
    await journal.append(appendRequest({ sessionSeq: 2 }));
    expect(await journal.verify(SESSION)).toEqual({ rows: 2, brokenAt: null });
    await journal.close();
  });

  it.each([
    ["a constraint", "SQLITE_CONSTRAINT_UNIQUE"],
    ["a value that cannot be stored", "SQLITE_TOOBIG"],
  ])("refuses one row alone when only that row is at fault: %s", async (_what, code) => {
    const { journal, disk } = await storeOnFailingDisk();
    // The second of three inserts fails in the batch; tried singly again, the second row fails once more.
    disk.fail("INSERT INTO journal", code, [2, 4]);
    const outcomes = await appendAll(journal, 3);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { reason: "internal_error" } });
    expect(disk.failed).toBe(2);
    expect((await journal.sessions()).map(({ key }) => key)).toEqual([session(0), session(2)]);
    await journal.append(appendRequest({ key: session(1) }));
    await journal.close();
  });

  it("refuses a row that the binding cannot take, alone", async () => {
    const { journal } = await storeOnFailingDisk();
    const outcomes = await Promise.allSettled([
      journal.append(appendRequest({ key: session(0) })),
      journal.append(appendRequest({ key: session(1), body: "not JSON: \0" })),
      journal.append(appendRequest({ key: session(2), at: Number.NaN })),
      journal.append(appendRequest({ key: session(3) })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    await journal.close();
  });

  it("refuses a conflicting row alone without a second transaction", async () => {
    const { journal, disk } = await storeOnFailingDisk();
    await appendRows(journal, 1, 1);
    const before = disk.commits;
    const outcomes = await Promise.allSettled([
      journal.append(appendRequest({ key: session(0) })),
      journal.append(appendRequest({ sessionSeq: 7 })),
      journal.append(appendRequest({ sessionSeq: 2 })),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(outcomes[1]).toMatchObject({ reason: { reason: "stale_revision" } });
    expect(disk.commits - before).toBe(1);
    await journal.close();
  });

  it("refuses appends beyond the queue's bound, and takes them again afterwards", async () => {
    const { journal } = await storeOnFailingDisk({ queue: 3 });
    const outcomes = await appendAll(journal, 5);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "fulfilled",
      "fulfilled",
      "rejected",
      "rejected",
    ]);
    expect(outcomes[4]).toMatchObject({ reason: { reason: "overloaded", retryable: true } });
    expect(journal.stats().queued).toBe(0);
    await journal.append(appendRequest());
    await journal.close();
  });

  it("does not leave a content behind whose only row was refused", async () => {
    const { journal } = await storeOnFailingDisk();
    const text = content("only in the refused row");
    await appendRows(journal, 1, 1);
    await rejection(journal.append(appendRequest({ sessionSeq: 9, contents: [text] })));
    await journal.append(appendRequest({ sessionSeq: 2 }));
    expect(await journal.contents([text.hash])).toEqual(new Map());
    await journal.close();
  });

  it("says that a read failed, and reads again afterwards", async () => {
    const { journal, disk } = await storeOnFailingDisk();
    await appendRows(journal, 1, 2);
    disk.fail("SELECT seq, sseq", "SQLITE_IOERR_READ");
    expect(await rejection(journal.load(SESSION))).toMatchObject({ reason: "storage_unavailable" });
    expect((await journal.load(SESSION))?.tail).toHaveLength(2);
    await journal.close();
  });
});

describe("checkpoints", () => {
  it("run between commits when the log is long, and their failures are counted and retried", async () => {
    const { journal, disk } = await storeOnFailingDisk({ checkpoint: { maxBytes: 10_000 } });
    disk.fail("PRAGMA wal_checkpoint(PASSIVE)", "SQLITE_FULL");
    await appendRows(journal, 1, 60);
    expect(journal.stats().checkpointErrors).toBe(1);
    expect(journal.stats().checkpoints).toBeGreaterThan(0);
    await journal.close();
  });

  it("run by themselves in a pause", async () => {
    let paused: () => void = () => undefined;
    const checkpointed = new Promise<void>((resolve) => {
      paused = resolve;
    });
    const { journal } = await storeOnFailingDisk({
      checkpoint: { restMs: 1 },
      failpoint: (name) => {
        if (name === "mid_checkpoint") paused();
      },
    });
    await appendRows(journal, 1, 1);
    await checkpointed;
    expect(journal.stats().checkpoints).toBe(1);
    await journal.close();
  });

  it("start the log over, so that it does not grow with the number of rows", async () => {
    const { journal } = await storeOnFailingDisk({ checkpoint: { maxBytes: 100_000 } });
    const body = JSON.stringify("x".repeat(5000));
    await appendRows(journal, 1, 400, () => ({ body }));
    expect(journal.stats().walBytes).toBeLessThan(1_000_000);
    expect(journal.stats().fileBytes).toBeGreaterThan(2_000_000);
    await journal.close();
  });
});
