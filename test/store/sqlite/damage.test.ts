import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/store/index.ts";
import { loadDriver } from "../../../src/store/sqlite/driver.ts";
import { appendRequest, appendRows, content, rejection, SESSION } from "../../support/journal-requests.ts";
import { RecordingLog } from "../../support/recording-log.ts";
import { copyOfStore, storeFolder } from "../../support/store-folder.ts";
import { storeProcesses } from "../../support/store-process.ts";

const run = storeProcesses();

const SESSIONS = 6;
const ROWS = 25;
const textOf = (session: number, row: number) =>
  content(`tool output ${session}/${row} `.repeat(1 + ((session * row) % 60)));

/** A store with everything in it that can be damaged, orderly closed. */
async function populatedStore(): Promise<string> {
  const folder = storeFolder();
  const journal = await openJournal({ kind: "sqlite", path: folder });
  await Promise.all(
    Array.from({ length: SESSIONS }, (_, session) =>
      appendRows(journal, 1, ROWS, (row) => ({
        key: { tenant: "acme", id: `s${session}` },
        body: JSON.stringify({ session, row, filler: "event data ".repeat(row % 9) }),
        contents: [textOf(session, row)],
        idempotencyKey: `key ${row}`,
        summary: JSON.stringify({ session, row }),
        learned: { model: `model ${row % 4}`, body: JSON.stringify({ factor: 1 + session / 8 + row / 256 }) },
        snapshot: row === 20 ? JSON.stringify({ session, state: "x".repeat(2000) }) : null,
      })),
    ),
  );
  await journal.close();
  return copyOfStore(folder);
}

/**
 * Damages copies of the store, one way each, and reads all of each copy: says how many were refused at the start,
 * how many told of the damage later, how many read as before, and what was silently wrong or took too long.
 */
const MUTANTS = `
  import { cpSync, mkdtempSync, openSync, closeSync, readSync, writeFileSync, truncateSync, statSync, rmSync } from "node:fs";
  import { join } from "node:path";
  const [scratch, ...numbers] = rest;
  const [mutants, seed, unsafe, sessions, rows] = numbers.map((text) => JSON.parse(text));
  let state = seed;
  const random = (below) => { state = (Math.imul(state, 1664525) + 1013904223) >>> 0; return Math.floor((state / 2 ** 32) * below); };

  const readAll = async (journal) => {
    const seen = { listed: await journal.sessions({ closed: true }), sessions: [] };
    for (let n = 0; n < sessions; n++) {
      const key = { tenant: "acme", id: "s" + n };
      const listed = await journal.rows(key, { limit: 1000 });
      const texts = [];
      for (const { body } of listed) texts.push(JSON.parse(body).row);
      const keys = [];
      for (let row = 1; row <= rows; row++) keys.push((await journal.findIdempotent(key, "key " + row))?.sessionSeq ?? null);
      seen.sessions.push([await journal.load(key), await journal.load(key, 12), listed, texts, keys, await journal.verify(key)]);
    }
    seen.learned = await journal.learned();
    seen.contents = [...await journal.contents(hashes)];
    return JSON.stringify(seen);
  };

  const copy = () => { const to = mkdtempSync(join(scratch, "mutant-")); cpSync(folder, to, { recursive: true, preserveTimestamps: true }); return to; };
  const hashes = [];
  const pristine = copy();
  {
    for (let s = 0; s < sessions; s++) for (let r = 1; r <= rows; r++) hashes.push(contentHash(("tool output " + s + "/" + r + " ").repeat(1 + ((s * r) % 60))));
  }
  const journal = await openJournal({ kind: "sqlite", path: pristine });
  const expected = await readAll(journal);
  await journal.close();
  rmSync(pristine, { recursive: true });

  const tally = { refused: 0, told: 0, asBefore: 0, wrong: [], slow: [], unclear: [] };
  for (let n = 0; n < mutants; n++) {
    const to = copy();
    const file = join(to, "contextd.db");
    const bytes = readFileSync(file);
    const kind = n % 5;
    const at = random(bytes.length);
    let what;
    if (kind <= 2) { const bit = random(8); bytes[at] ^= 1 << bit; what = "bit " + bit + " of byte " + at; writeFileSync(file, bytes); }
    else if (kind === 3) { const page = random(bytes.length / 4096); bytes.fill(0, page * 4096, (page + 1) * 4096); what = "page " + page; writeFileSync(file, bytes); }
    else { truncateSync(file, at); what = "cut at " + at; }
    say({ trying: what });
    let warned = false;
    const quiet = () => {};
    const log = { debug: quiet, info: quiet, error: quiet, warn: (fields) => { warned ||= "damaged" in fields; } };
    const startedAt = performance.now();
    try {
      const journal = await openJournal({ kind: "sqlite", path: to, unsafe }, { log });
      try {
        if ((await readAll(journal)) === expected) tally.asBefore++;
        else if (warned) tally.told++;
        else if ((await journal.sessions({ closed: true })).some(({ damaged }) => damaged) || (await Promise.all(Array.from({ length: sessions }, (_, s) => journal.verify({ tenant: "acme", id: "s" + s })))).some(({ brokenAt }) => brokenAt !== null)) tally.told++;
        else tally.wrong.push(what);
      } catch (error) {
        if (error.name === "ContextdError") tally.told++; else tally.unclear.push(what + ": " + error.stack);
      }
      await journal.close();
    } catch (error) {
      if (error.name === "UnusableStoreError" && !error.message.includes("\\n")) tally.refused++;
      else tally.unclear.push(what + ": " + error.stack);
    }
    if (performance.now() - startedAt > 5000) tally.slow.push(what);
    rmSync(to, { recursive: true });
  }
  say(tally);
`;

async function mutantsOf(store: string, mutants: number, unsafe: object = {}) {
  const ending = await run(
    MUTANTS,
    store,
    storeFolder(),
    String(mutants),
    "20240229",
    JSON.stringify(unsafe),
    String(SESSIONS),
    String(ROWS),
  );
  expect(ending, `the process ended after ${ending.lines.at(-1)}`).toMatchObject({ code: 0 });
  return JSON.parse(ending.lines.at(-1) ?? "{}");
}

describe("a damaged store file", () => {
  it("is never silently wrong: it is refused in one line, or the damage is told when it is read", async () => {
    const mutants = process.env["CONTEXTD_LONG"] === "1" ? 1000 : 100;
    const tally = await mutantsOf(await populatedStore(), mutants);
    expect(tally).toMatchObject({ wrong: [], slow: [], unclear: [] });
    expect(tally.refused + tally.told + tally.asBefore).toBe(mutants);
    expect(tally.refused).toBeGreaterThan(0);
    expect(tally.told).toBeGreaterThan(0);
  }, 600_000);

  it("is silently wrong without the hash chain: the control", async () => {
    const tally = await mutantsOf(await populatedStore(), 100, { noHashChain: true });
    expect(tally.wrong.length).toBeGreaterThan(0);
  }, 600_000);
});

describe("damage to one session", () => {
  /** Changes the closed store by SQL, as no daemon would, and opens it again. */
  async function damagedBy(sql: string) {
    const folder = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: folder });
    await appendRows(journal, 1, 6, (row) => ({
      contents: [content(`text ${row}`)],
      snapshot: row === 2 || row === 4 ? `snapshot ${row}` : null,
    }));
    await journal.append(appendRequest({ key: { tenant: "acme", id: "s2" } }));
    await journal.close();
    const copy = copyOfStore(folder);
    const connection = (await loadDriver()).open(`${copy}/contextd.db`, 0);
    connection.exec(sql);
    connection.close();
    return openJournal({ kind: "sqlite", path: copyOfStore(copy) });
  }

  it.each([
    ["a changed body", "UPDATE journal SET body = '{\"position\":7}' WHERE sess = 1 AND sseq = 5", 5],
    ["a changed time", "UPDATE journal SET at = at + 1 WHERE sess = 1 AND sseq = 6", 6],
    ["a changed idempotency key", "UPDATE journal SET idem = 'another' WHERE sess = 1 AND sseq = 5", 5],
    ["a changed reference", "UPDATE journal SET refs = zeroblob(32) WHERE sess = 1 AND sseq = 5", 5],
    ["a body that is not UTF-8", "UPDATE journal SET body = CAST(x'22ff22' AS TEXT) WHERE sess = 1 AND sseq = 5", 5],
    ["a missing row", "DELETE FROM journal WHERE sess = 1 AND sseq = 5", 5],
    ["a missing last row", "DELETE FROM journal WHERE sess = 1 AND sseq = 6", 6],
    ["a broken link", "UPDATE journal SET chain = zeroblob(32) WHERE sess = 1 AND sseq = 5", 5],
    [
      "swapped rows",
      "UPDATE journal SET sseq = 11 - sseq + 100 WHERE sess = 1 AND sseq >= 5; UPDATE journal SET sseq = sseq - 100 WHERE sess = 1 AND sseq > 100",
      5,
    ],
    ["a changed summary", "UPDATE session SET summary = '{}' WHERE id = 1", 0],
    ["a last row forgotten", "UPDATE session SET last_seq = 5 WHERE id = 1", 0],
  ])("is found and leaves other sessions alone: %s", async (_what, sql, brokenAt) => {
    const journal = await damagedBy(sql);
    expect(await rejection(journal.load(SESSION))).toMatchObject({ reason: "quarantined", data: { damaged: true } });
    expect((await journal.verify(SESSION)).brokenAt).toBe(brokenAt);
    const other = { tenant: "acme", id: "s2" };
    expect((await journal.load(other))?.tail).toHaveLength(1);
    await journal.append(appendRequest({ key: other, sessionSeq: 2 }));
    expect((await journal.sessions()).map(({ damaged }) => damaged)).toEqual([brokenAt === 0, false]);
    await journal.close();
  });

  it("in the last snapshot is got over by the one before", async () => {
    const journal = await damagedBy("UPDATE snapshot SET body = CAST('snapshot 5' AS BLOB) WHERE sseq = 4");
    const loaded = await journal.load(SESSION);
    expect(loaded?.snapshot).toEqual({ sessionSeq: 2, body: "snapshot 2" });
    expect(loaded?.tail.map(({ sessionSeq }) => sessionSeq)).toEqual([3, 4, 5, 6]);
    expect((await journal.verify(SESSION)).brokenAt).toBe(4);
    await journal.close();
  });

  it.each([
    ["changed", "UPDATE content SET body = CAST('TEXT 3' AS BLOB) WHERE body = CAST('text 3' AS BLOB)"],
    ["of an unknown encoding", "UPDATE content SET enc = 9 WHERE body = CAST('text 3' AS BLOB)"],
  ])("of a content is found when it is read: %s", async (_what, sql) => {
    const journal = await damagedBy(sql);
    const { hash } = content("text 3");
    expect(await rejection(journal.contents([hash]))).toMatchObject({ reason: "content_not_found", data: { hash } });
    expect(await journal.verify(SESSION)).toEqual({ rows: 0, brokenAt: 3 });
    await journal.close();
  });

  it.each([
    ["a changed body", "UPDATE learned SET body = '{\"factor\":3}' WHERE model = 'm2'"],
    ["a changed time", "UPDATE learned SET at = at + 1 WHERE model = 'm2'"],
    ["another's tenant", "UPDATE learned SET tenant = 'globex' WHERE model = 'm2'"],
    ["another model", "UPDATE learned SET model = 'm9' WHERE model = 'm2'"],
    ["another row", "UPDATE learned SET seq = 99 WHERE model = 'm2'"],
    ["a body that is not UTF-8", "UPDATE learned SET body = CAST(x'22ff22' AS TEXT) WHERE model = 'm2'"],
    ["a name that is none", "UPDATE learned SET tenant = '\"' WHERE model = 'm2'"],
  ])("of what was learned of a model leaves that out, and says so: %s", async (_what, sql) => {
    const folder = storeFolder();
    const journal = await openJournal({ kind: "sqlite", path: folder });
    await appendRows(journal, 1, 3, (row) => ({ learned: { model: `m${row}`, body: '{"factor":1.1}' } }));
    await journal.close();
    const copy = copyOfStore(folder);
    const connection = (await loadDriver()).open(`${copy}/contextd.db`, 0);
    connection.exec(sql);
    connection.close();
    const log = new RecordingLog();
    const damaged = await openJournal({ kind: "sqlite", path: copyOfStore(copy) }, { log });
    expect((await damaged.learned()).map(({ model }) => model)).toEqual(["m1", "m3"]);
    expect(log.lines.filter(({ fields }) => "damaged" in fields)).toMatchObject([
      { level: "warn", fields: { damaged: 1 } },
    ]);
    expect((await damaged.verify(SESSION)).brokenAt).toBeNull();
    await damaged.close();
  });

  it("is not pruned away: the rows are the evidence", async () => {
    const journal = await damagedBy("UPDATE journal SET body = '{}' WHERE sess = 1 AND sseq = 2");
    await journal.append(appendRequest({ sessionSeq: 7, closed: true }));
    expect(await journal.prune({ closedBefore: Date.now() })).toEqual({ sessions: 0, rows: 0, contents: 0 });
    expect((await journal.verify(SESSION)).brokenAt).toBe(2);
    await journal.close();
  });
});
