import { describe, expect, test } from "vitest";
import { contentHash } from "../../src/model/content-hash.ts";
import type { SessionKey } from "../../src/model/session-key.ts";
import { CallQueue, PrunedError } from "../../src/shadow/call-queue.ts";
import type { StoredCall } from "../../src/shadow/followed-call.ts";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";

const key: SessionKey = { tenant: "t", id: "s" };

/** The nth call: an edit whose replacement is its content. */
function call(sessionSeq: number, size = 10): StoredCall {
  const body = `${sessionSeq} ${"x".repeat(size)}`;
  const hash = contentHash(body);
  const events = [{ type: "block.truncated", data: { hash } }];
  return {
    sessionSeq,
    at: sessionSeq,
    hook: "on_turn_start",
    body: JSON.stringify({ events }),
    contents: [{ hash, body }],
  };
}

async function stored(journal: MemoryJournal, calls: readonly StoredCall[]): Promise<void> {
  for (const each of calls) {
    const more = { key, idempotencyKey: null, summary: "{}", closed: false, snapshot: null };
    await journal.append({ ...each, ...more } satisfies AppendRequest);
  }
}

async function taken(queue: CallQueue): Promise<StoredCall[]> {
  const calls: StoredCall[] = [];
  for (let next = await queue.take(); next !== null; next = await queue.take()) calls.push(next);
  return calls;
}

const calls = (from: number, to: number, size?: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => call(from + n, size));

describe("the queue of a watched session's calls", () => {
  test("gives calls as they were offered", async () => {
    const queue = new CallQueue(key, false, new MemoryJournal());
    for (const each of calls(1, 3)) queue.offer(each);
    expect(queue.length).toBe(3);
    expect(await taken(queue)).toEqual(calls(1, 3));
    expect(queue.length).toBe(0);
  });

  test("begins with what the journal has, and takes no call twice", async () => {
    const journal = new MemoryJournal();
    await stored(journal, calls(1, 120));
    const queue = new CallQueue(key, true, journal);
    queue.offer(call(120));
    expect(await queue.take()).toEqual(call(1));
    await stored(journal, calls(121, 130));
    for (const each of calls(121, 130)) queue.offer(each);
    expect(await taken(queue)).toEqual(calls(2, 130));
    await stored(journal, [call(131)]);
    queue.offer(call(131));
    expect(await taken(queue)).toEqual([call(131)]);
  });

  test("reads all that the journal has, though nothing has been offered", async () => {
    const journal = new MemoryJournal();
    await stored(journal, calls(1, 120));
    expect(await taken(new CallQueue(key, true, journal))).toEqual(calls(1, 120));
  });

  test("takes what is stored while it reads", async () => {
    const journal = new MemoryJournal();
    await stored(journal, calls(1, 3));
    const late = {
      contents: (hashes: readonly string[]) => journal.contents(hashes),
      rows: async (...given: Parameters<MemoryJournal["rows"]>) => {
        const rows = await journal.rows(...given);
        if ((await journal.lastSeq()) === 3) {
          await stored(journal, [call(4)]);
          queue.offer(call(4));
        }
        return rows;
      },
    };
    const queue = new CallQueue(key, true, late);
    expect(await taken(queue)).toEqual(calls(1, 4));
  });

  test.each([
    ["calls", 700, 10],
    ["text", 30, 500_000],
  ])("that has no room for more %s holds none, and reads them later", async (_what, count, size) => {
    const journal = new MemoryJournal();
    const all = calls(1, count, size);
    await stored(journal, all);
    let read = 0;
    const counted = {
      contents: (hashes: readonly string[]) => journal.contents(hashes),
      rows: (...given: Parameters<MemoryJournal["rows"]>) => {
        read++;
        return journal.rows(...given);
      },
    };
    const queue = new CallQueue(key, false, counted);
    for (const each of all) queue.offer(each);
    expect(queue.length).toBe(count);
    expect(read).toBe(0);
    expect((await taken(queue)).map(({ sessionSeq }) => sessionSeq)).toEqual(all.map(({ sessionSeq }) => sessionSeq));
    expect(read).toBeGreaterThan(0);
  });

  test("refuses to go on where the journal has lost the first calls", async () => {
    const journal = new MemoryJournal();
    await stored(journal, calls(1, 9));
    const pruned = {
      contents: (hashes: readonly string[]) => journal.contents(hashes),
      rows: (of: SessionKey, { from = 1, limit }: { from?: number; limit: number }) =>
        journal.rows(of, { from: Math.max(from, 5), limit }),
    };
    await expect(new CallQueue(key, true, pruned).take()).rejects.toThrow(PrunedError);
  });
});
