import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal } from "../../src/store/index.ts";
import { CLOSED_AT_ONCE, type Journal, LEARNED_MODELS_KEPT } from "../../src/store/journal.ts";
import { driverNames, loadDriver } from "../../src/store/sqlite/driver.ts";
import { appendRequest, appendRows, content, rejection, SESSION } from "../support/journal-requests.ts";
import { storeFolder } from "../support/store-folder.ts";

/** Every store, over every binding that this Node.js can load. A new store is tested once it is listed here. */
const JOURNALS: Readonly<Record<string, () => Promise<Journal>>> = {
  memory: () => openJournal({ kind: "memory" }),
  ...Object.fromEntries(
    driverNames().map((name) => [
      `sqlite over ${name}`,
      async () => openJournal({ kind: "sqlite", path: storeFolder() }, { driver: await loadDriver(name) }),
    ]),
  ),
};

const OTHER = { tenant: "globex", id: SESSION.id };

describe.each(Object.entries(JOURNALS))("the journal contract: %s", (_name, open) => {
  let journal: Journal;
  beforeEach(async () => {
    journal = await open();
  });
  afterEach(() => journal.close());

  it("gives back the rows of a session in order, as they were appended", async () => {
    await appendRows(journal, 1, 3);
    const loaded = await journal.load(SESSION);
    expect(loaded?.snapshot).toBeNull();
    expect(loaded?.tail).toEqual(
      [1, 2, 3].map((position) => {
        const { sessionSeq, at, hook, body } = appendRequest({ sessionSeq: position });
        return { seq: position, sessionSeq, at, hook, body };
      }),
    );
  });

  it("answers null for a session that it does not know", async () => {
    expect(await journal.load(SESSION)).toBeNull();
    expect(await journal.findIdempotent(SESSION, "k")).toBeNull();
    expect(await journal.rows(SESSION, { limit: 10 })).toEqual([]);
    expect(await rejection(journal.verify(SESSION))).toMatchObject({ reason: "session_not_found" });
  });

  it("refuses a position that is not the session's next one, and stores nothing of it", async () => {
    await appendRows(journal, 1, 2);
    for (const sessionSeq of [0, 1, 2, 4]) {
      const error = await rejection(journal.append(appendRequest({ sessionSeq })));
      expect(error).toMatchObject({ reason: "stale_revision", data: { expected: 3, given: sessionSeq } });
    }
    expect(await rejection(journal.append(appendRequest({ key: OTHER, sessionSeq: 2 })))).toMatchObject({
      data: { expected: 1 },
    });
    await journal.append(appendRequest({ sessionSeq: 3 }));
    expect((await journal.load(SESSION))?.tail).toHaveLength(3);
    expect(await journal.load(OTHER)).toBeNull();
  });

  it("lets exactly one of two simultaneous appends of one position win", async () => {
    const outcomes = await Promise.allSettled([
      journal.append(appendRequest({ body: '"a"' })),
      journal.append(appendRequest({ body: '"b"' })),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await journal.load(SESSION))?.tail).toHaveLength(1);
  });

  it("numbers all rows in one rising order", async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => journal.append(appendRequest({ key: { tenant: "t", id: `s${n}` } }))),
    );
    expect(answers.map(({ seq }) => seq)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(await journal.lastSeq()).toBe(40);
  });

  it("keeps the sessions of two tenants apart that have the same id", async () => {
    await journal.append(appendRequest({ body: '"acme"', idempotencyKey: "k" }));
    await journal.append(appendRequest({ key: OTHER, body: '"globex"' }));
    expect((await journal.load(SESSION))?.tail.map(({ body }) => body)).toEqual(['"acme"']);
    expect((await journal.load(OTHER))?.tail.map(({ body }) => body)).toEqual(['"globex"']);
    expect(await journal.findIdempotent(OTHER, "k")).toBeNull();
    const listed = await journal.sessions({ tenant: "globex" });
    expect(listed.map(({ key }) => key)).toEqual([OTHER]);
  });

  it("does not take one tenant's name for the beginning of another's", async () => {
    for (const tenant of ["a", "a0", "a.b", "ab", "b"]) {
      await journal.append(appendRequest({ key: { tenant, id: "s" } }));
    }
    for (const tenant of ["a", "a0", "a.b", "ab", "b"]) {
      expect((await journal.sessions({ tenant })).map(({ key }) => key.tenant)).toEqual([tenant]);
    }
  });

  it("finds a session of any name, and no other by it", async () => {
    const ids = ["../x", "a/b", "a\0b", "a\ud800b", "a\\ud800b", 'quo"te', "\u202eltr", "x".repeat(4096), "ü", ""];
    for (const id of ids) {
      await journal.append(appendRequest({ key: { tenant: "t", id }, body: JSON.stringify(id), idempotencyKey: id }));
    }
    for (const id of ids) {
      const loaded = await journal.load({ tenant: "t", id });
      expect(loaded?.tail.map(({ body }) => body)).toEqual([JSON.stringify(id)]);
      expect((await journal.findIdempotent({ tenant: "t", id }, id))?.sessionSeq).toBe(1);
    }
    expect((await journal.sessions()).map(({ key }) => key.id)).toEqual(ids);
  });

  it("stores a content once and gives it back by its hash", async () => {
    const long = content("the same tool output again and again. ".repeat(100));
    const short = content("short");
    await appendRows(journal, 1, 2, () => ({ contents: [long, short, long] }));
    const found = await journal.contents([long.hash, short.hash, "0".repeat(64), "no hash at all"]);
    expect([...found]).toEqual([
      [long.hash, long.body],
      [short.hash, short.body],
    ]);
  });

  it("gives back any text exactly, lone surrogates and NUL included", async () => {
    let position = 0;
    const anyText = fc.oneof(
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 }).map((units) => String.fromCharCode(...units)),
      fc
        .tuple(fc.string({ unit: "binary", minLength: 1, maxLength: 9 }), fc.integer({ min: 1, max: 20_000 }))
        .map(([text, times]) => text.repeat(times)),
    );
    await fc.assert(
      fc.asyncProperty(anyText, anyText, async (text, snapshot) => {
        const stored = content(text);
        await journal.append(appendRequest({ sessionSeq: ++position, contents: [stored], snapshot }));
        expect((await journal.contents([stored.hash])).get(stored.hash)).toBe(text);
        expect((await journal.load(SESSION))?.snapshot).toEqual({ sessionSeq: position, body: snapshot });
      }),
      { numRuns: 100 },
    );
  });

  it("tells texts apart that differ in a lone surrogate only", async () => {
    const [a, b] = [content("x\ud800"), content("x\udbff")];
    await journal.append(appendRequest({ contents: [a, b] }));
    const found = await journal.contents([a.hash, b.hash]);
    expect(found.get(a.hash)).toBe(a.body);
    expect(found.get(b.hash)).toBe(b.body);
  });

  it("refuses a content under a hash that is not its own, alone", async () => {
    const wrong = { hash: content("right").hash, body: "wrong" };
    const [refused, accepted] = await Promise.allSettled([
      journal.append(appendRequest({ contents: [wrong] })),
      journal.append(appendRequest({ key: OTHER })),
    ]);
    expect(refused).toMatchObject({ status: "rejected", reason: { reason: "internal_error" } });
    expect(accepted.status).toBe("fulfilled");
    expect(await journal.load(SESSION)).toBeNull();
    expect(await journal.contents([wrong.hash])).toEqual(new Map());
  });

  it("loads the latest snapshot and the rows after it", async () => {
    await appendRows(journal, 1, 7, (position) => ({
      snapshot: position === 3 || position === 5 ? `at ${position}` : null,
    }));
    const latest = await journal.load(SESSION);
    expect(latest?.snapshot).toEqual({ sessionSeq: 5, body: "at 5" });
    expect(latest?.tail.map(({ sessionSeq }) => sessionSeq)).toEqual([6, 7]);
  });

  it("loads a session as it was at an earlier position", async () => {
    await appendRows(journal, 1, 7, (position) => ({
      snapshot: position === 3 || position === 5 ? `at ${position}` : null,
    }));
    const positions = async (upTo: number) => {
      const loaded = await journal.load(SESSION, upTo);
      return [loaded?.snapshot?.sessionSeq ?? null, ...(loaded?.tail.map(({ sessionSeq }) => sessionSeq) ?? [])];
    };
    expect(await positions(4)).toEqual([3, 4]);
    expect(await positions(5)).toEqual([5]);
    expect(await positions(2)).toEqual([null, 1, 2]);
    expect(await positions(99)).toEqual([5, 6, 7]);
  });

  it("finds the row that used an idempotency key, for the life of the session", async () => {
    await appendRows(journal, 1, 50, (position) => ({ idempotencyKey: `key ${position}` }));
    expect(await journal.findIdempotent(SESSION, "key 2")).toMatchObject({ sessionSeq: 2, body: '{"position":2}' });
    expect(await journal.findIdempotent(SESSION, "key 51")).toBeNull();
  });

  it("refuses an idempotency key that the session has used, and stores nothing of the row", async () => {
    await journal.append(appendRequest({ idempotencyKey: "k" }));
    const again = journal.append(appendRequest({ sessionSeq: 2, idempotencyKey: "k" }));
    expect(await rejection(again)).toMatchObject({ reason: "idempotency_conflict" });
    await journal.append(appendRequest({ sessionSeq: 2, idempotencyKey: "l" }));
    expect(await journal.verify(SESSION)).toEqual({ rows: 2, brokenAt: null });
  });

  it("lists the open sessions with their summaries, and closed ones when asked", async () => {
    await appendRows(journal, 1, 2);
    await journal.append(appendRequest({ key: OTHER, closed: true }));
    const open = {
      key: SESSION,
      createdAt: 1_700_000_000_001,
      lastSessionSeq: 2,
      closed: false,
      summary: '{"turns":2}',
    };
    expect(await journal.sessions()).toEqual([{ ...open, damaged: false }]);
    expect(await journal.sessions({ closed: true })).toMatchObject([{ key: SESSION }, { key: OTHER, closed: true }]);
    expect(await journal.sessions({ tenant: "nobody" })).toEqual([]);
  });

  it("lists a session as closed only until it is appended to again", async () => {
    await journal.append(appendRequest({ closed: true }));
    expect(await journal.sessions()).toEqual([]);
    await journal.append(appendRequest({ sessionSeq: 2, closed: false }));
    expect(await journal.sessions()).toMatchObject([{ key: SESSION, closed: false, lastSessionSeq: 2 }]);
  });

  it("pages through the closed sessions of a tenant, the one that closed last first, while others close", async () => {
    const close = async (id: string, tenant = "t") => {
      await journal.append(appendRequest({ key: { tenant, id } }));
      await journal.append(appendRequest({ key: { tenant, id }, sessionSeq: 2, closed: true }));
    };
    const page = (before: number | undefined, limit: number) =>
      journal.closedSessions({ tenant: "t", limit, ...(before === undefined ? {} : { before }) });
    for (const id of ["a", "b", "c"]) await close(id);
    await close("theirs", "u");
    await journal.append(appendRequest({ key: { tenant: "t", id: "open" } }));
    const first = await page(undefined, 2);
    expect(first).toMatchObject([
      { key: { tenant: "t", id: "c" }, closed: true, lastSessionSeq: 2, summary: '{"turns":2}', damaged: false },
      { key: { tenant: "t", id: "b" }, closedBy: 4 },
    ]);
    await close("d");
    expect((await page(first[1]?.closedBy, 2)).map(({ key }) => key.id)).toEqual(["a"]);
    expect((await page(undefined, 2)).map(({ key }) => key.id)).toEqual(["d", "c"]);
    expect(await page(1, 2)).toEqual([]);
    expect(await journal.closedSessions({ tenant: "nobody", limit: 9 })).toEqual([]);
    expect(await journal.closedCount({ tenant: "t", most: 100 })).toBe(4);
    expect(await journal.closedCount({ tenant: "t", most: 3 })).toBe(3);
    expect(await journal.closedCount({ tenant: "u", most: 100 })).toBe(1);
  });

  it("keeps a closed session in its place until it is open again or pruned", async () => {
    const listed = async () => (await journal.closedSessions({ tenant: "acme", limit: 9 })).map(({ key }) => key.id);
    const second = { tenant: "acme", id: "s2" };
    await appendRows(journal, 1, 2, (position) => ({ closed: position === 2, snapshot: position === 2 ? "{}" : null }));
    await appendRows(journal, 1, 2, (position) => ({ key: second, closed: position === 2 }));
    await journal.append(appendRequest({ sessionSeq: 3, closed: true, snapshot: "{}" }));
    expect(await listed()).toEqual(["s2", "s1"]);
    await journal.append(appendRequest({ key: second, sessionSeq: 3, closed: false }));
    expect(await listed()).toEqual(["s1"]);
    await journal.append(appendRequest({ key: second, sessionSeq: 4, closed: true }));
    expect(await listed()).toEqual(["s2", "s1"]);
    expect(await journal.prune({ closedBefore: Date.now() })).toMatchObject({ sessions: 1 });
    expect(await listed()).toEqual(["s2"]);
    expect(await journal.closedCount({ tenant: "acme", most: 9 })).toBe(1);
  });

  it("answers at most so many closed sessions at once", async () => {
    const all = Array.from({ length: CLOSED_AT_ONCE + 1 }, (_, n) => ({ tenant: "t", id: `s${n}` }));
    await Promise.all(all.map((key) => journal.append(appendRequest({ key, closed: true }))));
    const first = await journal.closedSessions({ tenant: "t", limit: 1_000 });
    expect(first).toHaveLength(CLOSED_AT_ONCE);
    const before = first.at(-1)?.closedBy ?? 0;
    expect(await journal.closedSessions({ tenant: "t", limit: 1_000, before })).toHaveLength(1);
  });

  it("pages through rows from either end", async () => {
    await appendRows(journal, 1, 9);
    const page = async (options: Parameters<Journal["rows"]>[1]) =>
      (await journal.rows(SESSION, options)).map(({ sessionSeq }) => sessionSeq);
    expect(await page({ limit: 3 })).toEqual([1, 2, 3]);
    expect(await page({ from: 8, limit: 5 })).toEqual([8, 9]);
    expect(await page({ from: 10, limit: 5 })).toEqual([]);
    expect(await page({ limit: 3, newestFirst: true })).toEqual([9, 8, 7]);
    expect(await page({ from: 2, limit: 5, newestFirst: true })).toEqual([2, 1]);
    expect(await page({ from: 99, limit: 2, newestFirst: true })).toEqual([9, 8]);
    expect(await page({ limit: 0 })).toEqual([]);
  });

  it("verifies the chain of a session with contents and snapshots", async () => {
    await appendRows(journal, 1, 450, (position) => ({
      contents: [content(`content of ${position % 7}`)],
      snapshot: position % 200 === 0 ? `snapshot at ${position}` : null,
    }));
    expect(await journal.verify(SESSION)).toEqual({ rows: 450, brokenAt: null });
  });

  it("prunes closed sessions below their last snapshot, and the contents that nothing names then", async () => {
    const kept = content("named by the snapshot");
    const gone = content("named by a pruned row only");
    const shared = content("named by an open session too");
    await appendRows(journal, 1, 6, (position) => ({
      idempotencyKey: `key ${position}`,
      contents: position === 2 ? [kept, gone, shared] : [],
      snapshot: position === 5 ? JSON.stringify({ blocks: [kept.hash] }) : null,
      closed: position === 6,
    }));
    await appendRows(journal, 1, 3, () => ({ key: OTHER, contents: [shared] }));

    expect(await journal.prune({ closedBefore: 0 })).toEqual({ sessions: 0, rows: 0, contents: 0 });
    expect(await journal.prune({ closedBefore: Date.now() })).toEqual({ sessions: 1, rows: 4, contents: 1 });

    expect((await journal.load(SESSION))?.snapshot?.sessionSeq).toBe(5);
    expect((await journal.rows(SESSION, { limit: 9 })).map(({ sessionSeq }) => sessionSeq)).toEqual([5, 6]);
    expect(await journal.verify(SESSION)).toEqual({ rows: 2, brokenAt: null });
    expect(await rejection(journal.load(SESSION, 4))).toMatchObject({ reason: "invalid_params", data: { oldest: 5 } });
    expect(await journal.findIdempotent(SESSION, "key 2")).toBeNull();
    expect((await journal.findIdempotent(SESSION, "key 6"))?.sessionSeq).toBe(6);
    expect([...(await journal.contents([kept.hash, gone.hash, shared.hash])).keys()]).toEqual([kept.hash, shared.hash]);
    expect((await journal.load(OTHER))?.tail).toHaveLength(3);
  });

  it("stores a content again that was swept", async () => {
    const text = content("comes back");
    await appendRows(journal, 1, 3, (position) => ({
      contents: position === 1 ? [text] : [],
      snapshot: position === 3 ? "{}" : null,
      closed: position === 3,
    }));
    expect(await journal.prune({ closedBefore: Date.now() })).toMatchObject({ contents: 1 });
    await journal.append(appendRequest({ key: OTHER, contents: [text] }));
    expect((await journal.contents([text.hash])).get(text.hash)).toBe(text.body);
    await journal.append(appendRequest({ sessionSeq: 4, closed: true }));
    expect(await journal.verify(SESSION)).toEqual({ rows: 2, brokenAt: null });
  });

  it("keeps what the rows taught of models, the latest of each, by tenant, in the order in which it was learned", async () => {
    const odd = 'm/\0\ud800"x"';
    await journal.append(appendRequest({ learned: { model: "m", body: '{"factor":1.1}' } }));
    await journal.append(appendRequest({ key: OTHER, learned: { model: "m", body: '{"factor":2}' } }));
    await journal.append(appendRequest({ sessionSeq: 2, learned: { model: odd, body: '{"factor":1.3}' } }));
    await journal.append(appendRequest({ sessionSeq: 3, learned: { model: "m", body: '{"factor":1.2}' } }));
    await journal.append(appendRequest({ sessionSeq: 4, learned: null }));
    expect(await journal.learned()).toEqual([
      { tenant: OTHER.tenant, model: "m", body: '{"factor":2}', at: 1_700_000_000_001 },
      { tenant: SESSION.tenant, model: odd, body: '{"factor":1.3}', at: 1_700_000_000_002 },
      { tenant: SESSION.tenant, model: "m", body: '{"factor":1.2}', at: 1_700_000_000_003 },
    ]);
  });

  it("learns nothing from a row that it refuses", async () => {
    await journal.append(appendRequest({ learned: { model: "m", body: '{"factor":1.1}' } }));
    const stale = journal.append(appendRequest({ learned: { model: "m", body: '{"factor":3}' } }));
    expect(await rejection(stale)).toMatchObject({ reason: "stale_revision" });
    expect((await journal.learned()).map(({ body }) => body)).toEqual(['{"factor":1.1}']);
  });

  it("keeps what was learned when the session that taught it is pruned", async () => {
    await appendRows(journal, 1, 3, (position) => ({
      learned: position === 1 ? { model: "m", body: "{}" } : null,
      snapshot: position === 3 ? "{}" : null,
      closed: position === 3,
    }));
    expect(await journal.prune({ closedBefore: Date.now() })).toMatchObject({ rows: 2 });
    expect(await journal.learned()).toHaveLength(1);
  });

  it("keeps the newest models of each tenant, however many names come", async () => {
    await journal.append(appendRequest({ key: OTHER, learned: { model: "theirs", body: "{}" } }));
    const lessons = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, n) =>
        journal.append(
          appendRequest({ key: { tenant: "t", id: `s${from + n}` }, learned: { model: `m${from + n}`, body: "{}" } }),
        ),
      );
    await Promise.all(lessons(0, LEARNED_MODELS_KEPT));
    await journal.append(appendRequest({ key: { tenant: "t", id: "again" }, learned: { model: "m0", body: "{}" } }));
    await Promise.all(lessons(LEARNED_MODELS_KEPT, LEARNED_MODELS_KEPT + 2));
    const models = (await journal.learned()).filter(({ tenant }) => tenant === "t").map(({ model }) => model);
    expect(models).toHaveLength(LEARNED_MODELS_KEPT);
    expect([models[0], ...models.slice(-3)]).toEqual(["m3", "m0", "m1000", "m1001"]);
    expect((await journal.learned())[0]).toMatchObject({ tenant: OTHER.tenant, model: "theirs" });
  });

  it("counts what it did", async () => {
    await appendRows(journal, 1, 3);
    const stats = journal.stats();
    expect(stats).toMatchObject({ queued: 0, appends: 3, commits: 3, errors: 0 });
    expect(stats.drainCommits().map(({ rows }) => rows)).toEqual([1, 1, 1]);
    expect(stats.drainCommits()).toEqual([]);
  });

  it("answers what was appended before close, and refuses what comes after", async () => {
    const pending = journal.append(appendRequest());
    await journal.close();
    await expect(pending).resolves.toEqual({ seq: 1 });
    const late = [
      journal.append(appendRequest()),
      journal.load(SESSION),
      journal.sessions(),
      journal.closedSessions({ tenant: "acme", limit: 1 }),
      journal.closedCount({ tenant: "acme", most: 1 }),
      journal.contents([]),
      journal.learned(),
    ];
    for (const call of late) expect(await rejection(call)).toMatchObject({ reason: "storage_unavailable" });
    await journal.close();
    expect(journal.stats().appends).toBe(1);
  });
});
