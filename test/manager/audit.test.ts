import { describe, expect, it } from "vitest";
import { MOST_AUDITED, readAudit } from "../../src/manager/audit.ts";
import type { JournalRow } from "../../src/store/journal.ts";
import { refused } from "../support/manager.ts";
import { own, workedSession } from "../support/windowed-session.ts";

describe("audit.list", () => {
  it("pages through all events newest first, and tells the turn of each", async () => {
    const host = await workedSession({ steps: 8 });
    const all = (await host.call("audit.list", { ...own, order: "oldest", limit: 1000 })).entries;
    const paged: typeof all = [];
    let before: number | null = null;
    do {
      const asked = before === null ? {} : { before };
      const page = await host.call("audit.list", { ...own, limit: 3, ...asked });
      expect(page.next_from).toBeNull();
      expect(new Set(page.entries.map(({ position }) => position)).size).toBeLessThanOrEqual(3);
      paged.push(...page.entries);
      before = page.next_before as number | null;
    } while (before !== null);
    const byRow = (a: { position: number }, b: { position: number }) => a.position - b.position;
    expect(paged.sort(byRow)).toEqual(all);
    for (const { type, turn, data } of all) {
      if (type === "turn.started") expect(turn).toBe((data as { turn: number }).turn);
      if (type === "message.added") expect(turn).not.toBeNull();
    }
  });

  it("fills a page of some types with rows that hold them, and goes on behind it", async () => {
    const host = await workedSession({ steps: 8 });
    const types = ["turn.ended"];
    const first = await host.call("audit.list", { ...own, types, limit: 3 });
    expect(first.entries.map(({ turn }) => turn)).toEqual([8, 7, 6]);
    const second = await host.call("audit.list", { ...own, types, limit: 3, before: first.next_before });
    expect(second.entries.map(({ turn }) => turn)).toEqual([5, 4, 3]);
    const oldest = await host.call("audit.list", { ...own, types, limit: 3, order: "oldest" });
    expect(oldest.entries.map(({ turn }) => turn)).toEqual([1, 2, 3]);
    const next = await host.call("audit.list", { ...own, types, limit: 3, order: "oldest", from: oldest.next_from });
    expect(next.entries.map(({ turn }) => turn)).toEqual([4, 5, 6]);
  });

  it("refuses `before` where it means nothing", async () => {
    const host = await workedSession();
    await refused(host.call("audit.list", { ...own, before: 2, order: "oldest" }), "invalid_params");
    await refused(host.call("audit.list", { ...own, before: 2, from: 1 }), "invalid_params");
    expect(await host.call("audit.list", { ...own, before: 1 })).toMatchObject({ entries: [], next_before: null });
  });

  it("reads a bounded number of rows for types that are nowhere, and lets others have their turn", async () => {
    const body = JSON.stringify({ events: [{ type: "turn.started", data: { turn: 1 } }] });
    const row = (position: number): JournalRow => ({ seq: position, sessionSeq: position, at: 0, hook: "x", body });
    let read = 0;
    const rows = async (_key: unknown, { from = 0, limit }: { from?: number; limit: number }) => {
      read += limit;
      return Array.from({ length: limit }, (_, at) => row(from - at));
    };
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    const page = await readAudit({ rows } as never, { tenant: "t", id: "s" }, 100_000, {
      types: ["block.evicted"],
      from: null,
      newestFirst: true,
      limit: 100,
    });
    clearInterval(ticking);
    expect(read).toBe(MOST_AUDITED);
    expect(page).toEqual({ entries: [], next: 100_000 - MOST_AUDITED });
    expect(turns).toBeGreaterThan(0);
  });
});
