import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/store/index.ts";
import { rejection, SESSION } from "../../support/journal-requests.ts";
import { copyOfStore, storeFolder } from "../../support/store-folder.ts";
import { storeProcesses } from "../../support/store-process.ts";

const run = storeProcesses();

/**
 * Appends rows until the failpoint has been passed `passes` times, then dies there; each row that is answered is
 * said at once. The small limits make checkpoints frequent.
 */
const KILLED = `
  const [point, passes, unsafe] = rest;
  let left = Number(passes);
  const journal = await openJournal({
    kind: "sqlite", path: folder, unsafe: JSON.parse(unsafe ?? "{}"),
    checkpoint: { restMs: 1, maxBytes: 20_000 },
    failpoint: (name) => { if (name === point && --left === 0) die(); },
  });
  for (let n = 1; n < 500; n++) {
    const body = "content of " + n;
    await journal.append(request(n, { idempotencyKey: "k" + n, contents: [{ hash: contentHash(body), body }], learned: { model: "m", body: JSON.stringify({ row: n }) }, snapshot: n % 10 === 0 ? "{}" : null }));
    say(n);
  }
`;

async function afterKill(point: string, passes: number, unsafe: object = {}) {
  const folder = storeFolder();
  const ending = await run(KILLED, folder, point, String(passes), JSON.stringify(unsafe));
  expect(ending.signal).toBe("SIGKILL");
  const journal = await openJournal({ kind: "sqlite", path: copyOfStore(folder) });
  const acknowledged = Number(ending.lines.at(-1) ?? 0);
  return { journal, acknowledged };
}

describe.each(["mid_row", "before_commit", "after_commit", "mid_checkpoint"])("killed at %s", (point) => {
  it.each([1, 2, 12])("the store has every acknowledged row, and no part of another: pass %i", async (passes) => {
    const { journal, acknowledged } = await afterKill(point, passes);
    const stored = await journal.lastSeq();
    expect(stored).toBeGreaterThanOrEqual(acknowledged);
    expect(stored).toBeLessThanOrEqual(acknowledged + 1);
    if (stored > 0) {
      expect(await journal.verify(SESSION)).toEqual({ rows: stored, brokenAt: null });
      expect((await journal.findIdempotent(SESSION, `k${stored}`))?.sessionSeq).toBe(stored);
      expect((await journal.learned()).map(({ body }) => JSON.parse(body))).toEqual([{ row: stored }]);
    }
    expect(await journal.findIdempotent(SESSION, `k${stored + 1}`)).toBeNull();
    await journal.close();
  });
});

describe("killed while the schema is made", () => {
  it("the next start makes it anew", async () => {
    const { journal } = await afterKill("mid_migration", 1);
    expect(await journal.sessions()).toEqual([]);
    await journal.close();
  });
});

describe("the controls, which must lose or break something", () => {
  it("without transactions a row is left in part", async () => {
    const { journal } = await afterKill("mid_row", 3, { skipTransaction: true });
    expect((await journal.verify(SESSION)).brokenAt).toBe(3);
    expect(await rejection(journal.load(SESSION))).toMatchObject({ reason: "quarantined", data: { position: 3 } });
    await journal.close();
  });

  it("with answers before the commit an acknowledged row is lost", async () => {
    const { journal, acknowledged } = await afterKill("before_commit", 1, { ackBeforeCommit: true });
    expect(acknowledged).toBeGreaterThan(await journal.lastSeq());
    await journal.close();
  });

  it("with idempotency keys in memory only a retry after a restart is not recognised", async () => {
    const { journal, acknowledged } = await afterKill("after_commit", 5, { dedupInMemory: true });
    expect(acknowledged).toBe(4);
    expect(await journal.findIdempotent(SESSION, "k2")).toBeNull();
    await journal.close();
  });
});
