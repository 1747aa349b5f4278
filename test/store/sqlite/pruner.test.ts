import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/store/index.ts";
import type { Journal } from "../../../src/store/journal.ts";
import { appendRequest, appendRows, content, SESSION } from "../../support/journal-requests.ts";
import { storeFolder } from "../../support/store-folder.ts";

const OPEN = { tenant: "acme", id: "open" };

/** A closed session of so many rows with a snapshot at the one before last, each row with a content of its own. */
async function closeLongSession(journal: Journal, rows: number): Promise<void> {
  for (let row = 1; row <= rows; row++) {
    await journal.append(
      appendRequest({
        sessionSeq: row,
        contents: [content(`long enough to fill some pages of the file ${row} `.repeat(20))],
        snapshot: row === rows - 1 ? "{}" : null,
        closed: row === rows,
      }),
    );
  }
}

describe("pruning", () => {
  it("takes several slices, lets appends in between, and shrinks the file", async () => {
    const journal = await openJournal({ kind: "sqlite", path: storeFolder(), checkpoint: { maxBytes: 50_000 } });
    await closeLongSession(journal, 1300);
    const bytesBefore = journal.stats().fileBytes;

    const pruned = journal.prune({ closedBefore: Date.now() });
    let appended = 0;
    let running = true;
    const finished = pruned.finally(() => {
      running = false;
    });
    while (running) await journal.append(appendRequest({ key: OPEN, sessionSeq: ++appended }));

    expect(await finished).toEqual({ sessions: 1, rows: 1298, contents: 1298 });
    expect(appended).toBeGreaterThan(5);
    expect(await journal.verify(SESSION)).toEqual({ rows: 2, brokenAt: null });
    expect(await journal.verify(OPEN)).toEqual({ rows: appended, brokenAt: null });
    await appendRows(journal, appended + 1, appended + 100, () => ({ key: OPEN }));
    expect(journal.stats().fileBytes).toBeLessThan(bytesBefore / 2);
    await journal.close();
  });

  it("never sweeps a content that an append came to name while it ran", async () => {
    const journal = await openJournal({ kind: "sqlite", path: storeFolder() });
    await closeLongSession(journal, 700);
    const texts = Array.from({ length: 698 }, (_, n) =>
      content(`long enough to fill some pages of the file ${n + 1} `.repeat(20)),
    );
    let running = true;
    const finished = journal.prune({ closedBefore: Date.now() }).finally(() => {
      running = false;
    });
    let named = 0;
    // From the last to the first, against the order of the sweep, so that some are named just before it comes.
    while (running && named < texts.length) {
      const text = texts[texts.length - 1 - named];
      if (text === undefined) break;
      await journal.append(appendRequest({ key: OPEN, sessionSeq: ++named, contents: [text] }));
    }
    await finished;
    expect(named).toBeGreaterThan(3);
    expect(await journal.verify(OPEN)).toEqual({ rows: named, brokenAt: null });
    await journal.close();
  });

  it("ends early when the journal is closed, and leaves it whole", async () => {
    const journal = await openJournal({ kind: "sqlite", path: storeFolder() });
    await closeLongSession(journal, 1200);
    const pruned = journal.prune({ closedBefore: Date.now() });
    await journal.close();
    const { rows } = await pruned;
    expect(rows).toBeLessThan(1198);
  });

  it("runs once when it is asked for twice at a time", async () => {
    const journal = await openJournal({ kind: "sqlite", path: storeFolder() });
    await closeLongSession(journal, 20);
    const [first, second] = await Promise.all([
      journal.prune({ closedBefore: Date.now() }),
      journal.prune({ closedBefore: Date.now() }),
    ]);
    expect(first).toBe(second);
    expect(first.rows).toBe(18);
    await journal.close();
  });
});
