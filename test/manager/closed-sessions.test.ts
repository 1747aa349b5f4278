import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { closedPage } from "../../src/manager/closed-sessions.ts";
import type { Journal } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { refused, TENANT, TestManager } from "../support/manager.ts";

/** Notes what is read back of which session. */
class WatchedJournal extends MemoryJournal {
  readonly loads: string[] = [];

  override async load(...[key, upTo]: Parameters<Journal["load"]>): ReturnType<Journal["load"]> {
    this.loads.push(key.id);
    return super.load(key, upTo);
  }
}

/** A manager started anew on a journal with so many closed sessions, s0 closed first, and one open. */
async function withClosed(count: number) {
  const journal = new WatchedJournal();
  const first = new TestManager({ journal });
  await first.call("session.open", { session_id: "open" });
  for (let n = 0; n < count; n++) {
    await first.call("session.open", { session_id: `s${n}` });
    await first.call("context.append", { session_id: `s${n}`, text: `Note ${n}.` });
    await first.call("session.close", { session_id: `s${n}` });
  }
  const host = await first.restarted();
  journal.loads.length = 0;
  return { host, journal };
}

const look = (host: TestManager, id: string) => host.call("context.get", { session_id: id });

describe("a closed session that is looked at", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("is read back once for all calls of a page, one after the other or at once", async () => {
    const { host, journal } = await withClosed(2);
    await look(host, "s0");
    await host.call("session.get", { session_id: "s0" });
    await Promise.all([look(host, "s0"), host.call("budget.report", { session_id: "s0" }), look(host, "s1")]);
    expect(journal.loads).toEqual(["s0", "s1"]);
  });

  it("is read back no more after it was closed under the reader's eyes", async () => {
    const { host, journal } = await withClosed(0);
    await look(host, "open");
    await host.call("session.close", { session_id: "open" });
    await look(host, "open");
    expect(journal.loads).toEqual(["open"]);
  });

  it("leaves memory when others are looked at, the one that was not for longest first", async () => {
    const { host, journal } = await withClosed(9);
    for (let n = 0; n < 8; n++) await look(host, `s${n}`);
    await look(host, "s0");
    await look(host, "s8");
    journal.loads.length = 0;
    await look(host, "s0");
    await look(host, "s2");
    expect(journal.loads).toEqual([]);
    await look(host, "s1");
    expect(journal.loads).toEqual(["s1"]);
  });

  it("leaves memory when nobody looked for the idle time", async () => {
    const { host, journal } = await withClosed(1);
    await look(host, "s0");
    host.clock.advance(600_001);
    vi.advanceTimersByTime(150_000);
    await look(host, "s0");
    expect(journal.loads).toEqual(["s0", "s0"]);
  });

  it("takes nothing, and is none of the open ones", async () => {
    const { host } = await withClosed(1);
    await look(host, "s0");
    const late = host.call("context.append", { session_id: "s0", text: "Late." });
    await refused(late, "session_closed");
    await refused(host.call("session.open", { session_id: "s0" }), "session_closed");
    await look(host, "s0");
    expect([...host.manager.summaries()].map(({ key }) => key.id)).toEqual(["open"]);
    expect(host.manager.summary({ tenant: TENANT, id: "s0" })).toBeNull();
  });

  it("counts for nothing against the tenant's limit", async () => {
    const host = new TestManager({ sessionsPerTenant: 2 });
    for (let n = 0; n < 5; n++) {
      await host.call("session.open", { session_id: `s${n}` });
      await host.call("context.append", { session_id: `s${n}`, text: "One more call." });
      await host.call("session.close", { session_id: `s${n}` });
      await look(host, `s${n}`);
    }
    await host.call("session.open", { session_id: "a" });
    await host.call("session.open", { session_id: "b" });
    await refused(host.call("session.open", { session_id: "c" }), "rate_limited");
  });
});

describe("the list of closed sessions", () => {
  const all = { before: null, fits: () => true };

  it("tells when each was closed, and restores none", async () => {
    const { host, journal } = await withClosed(3);
    const { sessions, next } = await host.manager.closedSessions(TENANT, { ...all, limit: 2 });
    expect(sessions).toMatchObject([
      { session_id: "s2", closed: true, closed_at: host.clock.now() },
      { session_id: "s1", closed: true },
    ]);
    const rest = await host.manager.closedSessions(TENANT, { ...all, before: next, limit: 2 });
    expect(rest).toMatchObject({ sessions: [{ session_id: "s0" }], next: null });
    expect(await host.manager.closedSessions("another", { ...all, limit: 2 })).toEqual({ sessions: [], next: null });
    expect(await host.manager.closedCount(TENANT)).toBe(3);
    expect(journal.loads).toEqual([]);
  });

  it("tells of a summary from before closing was timed when its last call was", async () => {
    const old = { ...stored(7, false), summary: JSON.stringify({ session_id: "old", closed: true, last_seen: 5 }) };
    const page = await closedPage({ closedSessions: async () => [old] }, TENANT, { ...all, limit: 9 });
    expect(page.sessions).toMatchObject([
      { session_id: "old", closed_at: 5, evicted_blocks: null, regretted_blocks: null },
    ]);
  });

  it("reads a bounded part for a page of a choice that nothing fits, and leaves out what is damaged", async () => {
    let read = 0;
    const endless: Pick<Journal, "closedSessions"> = {
      closedSessions: async ({ before = 1_000_000, limit }) => {
        read += limit;
        return Array.from({ length: limit }, (_, n) => stored(before - 1 - n, n % 2 === 0));
      },
    };
    const none = await closedPage(endless, TENANT, { before: null, limit: 5, fits: () => false });
    expect(none).toEqual({ sessions: [], next: 1_000_000 - read });
    expect(read).toBe(2_000);
    const some = await closedPage(endless, TENANT, { ...all, limit: 3 });
    expect(some.sessions.map(({ session_id }) => session_id)).toEqual(["n999998", "n999996", "n999994"]);
    expect(some.next).toBe(999_994);
  });
});

function stored(closedBy: number, damaged: boolean) {
  const key = { tenant: TENANT, id: `n${closedBy}` };
  const summary = damaged ? "{" : JSON.stringify({ session_id: key.id, closed: true, closed_at: 1 });
  return { key, createdAt: 1, lastSessionSeq: 1, closed: true, summary, damaged, closedBy };
}
