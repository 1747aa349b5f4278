import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

// The page's modules are plain JavaScript for the browser; these have no need of one.
const load = (name: string) => import(new URL(`../../src/ui/static/${name}`, import.meta.url).href);
const { ClosedList } = await load("screens/fleet/closed-list.js");
const { ClosedSearch } = await load("app/closed-search.js");
const { Choices } = await load("screens/fleet/choices.js");
const { headlineWords } = await load("screens/fleet/headline.js");
const { Fleet } = await load("app/fleet.js");

interface Asked {
  cursor?: string;
  search?: string;
  limit: number;
}

/** The daemon's list of closed sessions, the one that closed last first; `hold` keeps the answers back. */
class Daemon {
  closed: { session_id: string; closed_at: number }[] = [];
  asked: Asked[] = [];
  failure: Error | null = null;
  #held: (() => void)[] | null = null;

  close(...ids: string[]): void {
    for (const id of ids) this.closed.unshift({ session_id: id, closed_at: this.closed.length });
  }

  hold(): () => Promise<void> {
    this.#held = [];
    return async () => {
      for (const go of this.#held?.splice(0) ?? []) go();
      this.#held = null;
      await settled();
    };
  }

  call = async (method: string, params: Asked & { state: string }) => {
    expect([method, params.state]).toEqual(["session.list", "closed"]);
    this.asked.push(params);
    const fitting = this.closed.filter(({ session_id }) => session_id.includes(params.search ?? ""));
    const from = params.cursor === undefined ? 0 : fitting.findIndex(({ session_id }) => session_id === params.cursor);
    const page = fitting.slice(from, from + params.limit);
    const next = fitting[from + params.limit]?.session_id ?? null;
    const { failure } = this;
    if (this.#held !== null) await new Promise<void>((go) => this.#held?.push(go));
    if (failure !== null) throw failure;
    return { total: fitting.length, sessions: page, next_cursor: next };
  };
}

const settled = () => vi.advanceTimersByTimeAsync(0);
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const idsOf = (list: { sessions: Map<string, unknown> }) => [...list.sessions.keys()].sort();

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the closed sessions that the page has read", () => {
  it("come page by page, and only when they are asked for", async () => {
    const daemon = new Daemon();
    daemon.close(...Array.from({ length: 150 }, (_, n) => `s${n}`));
    const list = new ClosedList(daemon.call, () => {});
    list.choose({});
    await settled();
    expect([list.sessions.size, list.isWhole, list.total]).toEqual([100, false, 150]);
    list.more();
    list.more();
    await settled();
    expect([list.sessions.size, list.isWhole]).toEqual([150, true]);
    list.more();
    await settled();
    expect(daemon.asked).toHaveLength(2);
  });

  it("stay until another choice is answered, and the answer to an earlier one is let go", async () => {
    const daemon = new Daemon();
    daemon.close("a", "b", "ab");
    const changes: boolean[] = [];
    const list = new ClosedList(daemon.call, (isOther: boolean) => changes.push(isOther));
    list.choose({});
    await settled();
    const release = daemon.hold();
    list.choose({ search: "a" });
    await later(200);
    list.choose({ search: "ab" });
    expect(idsOf(list)).toEqual(["a", "ab", "b"]);
    await release();
    expect(idsOf(list)).toEqual(["a", "ab", "b"]);
    await later(200);
    expect(idsOf(list)).toEqual(["ab"]);
    expect([...list.seen.keys()].sort()).toEqual(["a", "ab", "b"]);
    expect(changes).toEqual([true, true]);
  });

  it("ask once for what is typed in one go", async () => {
    const daemon = new Daemon();
    const list = new ClosedList(daemon.call, () => {});
    list.choose({});
    await settled();
    for (const search of ["p", "pa", "par"]) {
      list.choose({ search });
      await later(50);
    }
    await later(200);
    expect(daemon.asked.map(({ search }) => search)).toEqual([undefined, "par"]);
  });

  it("gain those that close, once for many, and lose none that were read", async () => {
    const daemon = new Daemon();
    daemon.close("a", "b");
    const list = new ClosedList(daemon.call, () => {});
    list.choose({});
    await settled();
    daemon.close("c");
    list.news();
    daemon.close("d");
    list.news();
    await later(400);
    expect(idsOf(list)).toEqual(["a", "b", "c", "d"]);
    expect([list.isWhole, list.total, daemon.asked.length]).toEqual([true, 4, 2]);
  });

  it("are read from the beginning when more closed than a page holds", async () => {
    const daemon = new Daemon();
    daemon.close("old");
    const list = new ClosedList(daemon.call, () => {});
    list.choose({});
    await settled();
    daemon.close(...Array.from({ length: 120 }, (_, n) => `s${n}`));
    list.news();
    await later(500);
    expect([list.sessions.size, list.sessions.has("old"), list.isWhole]).toEqual([100, false, false]);
    list.more();
    await settled();
    expect([list.sessions.size, list.sessions.has("old"), list.isWhole]).toEqual([121, true, true]);
  });

  it("tell what could not be read, keep what was, and try again", async () => {
    const daemon = new Daemon();
    daemon.close(...Array.from({ length: 150 }, (_, n) => `s${n}`));
    const list = new ClosedList(daemon.call, () => {});
    list.choose({});
    await settled();
    daemon.failure = new Error("The store is busy.");
    list.more();
    await settled();
    expect([list.fault?.message, list.sessions.size]).toEqual(["The store is busy.", 100]);
    list.more();
    await settled();
    expect(daemon.asked).toHaveLength(2);
    daemon.failure = null;
    await later(4_000);
    expect([list.fault, list.sessions.size]).toEqual([null, 150]);
  });
});

describe("the search among closed sessions", () => {
  it("asks once for words typed in one go, and shows nothing of the words before", async () => {
    const daemon = new Daemon();
    daemon.close("parser", "printer");
    let changes = 0;
    const search = new ClosedSearch(daemon.call, () => changes++);
    search.look("pr");
    search.look("pars");
    expect([search.isLooking, search.found]).toEqual([true, []]);
    await later(200);
    expect(search.found.map(({ session_id }: { session_id: string }) => session_id)).toEqual(["parser"]);
    expect([search.isLooking, changes, daemon.asked.length]).toEqual([false, 1, 1]);
    search.look("");
    expect([search.isLooking, search.found]).toEqual([false, []]);
  });

  it("says when it could not look", async () => {
    const daemon = new Daemon();
    daemon.failure = new Error("no answer");
    const search = new ClosedSearch(daemon.call, () => {});
    search.look("x");
    await later(200);
    expect([search.isLooking, search.failed]).toEqual([false, true]);
  });
});

describe("the choice of closed sessions", () => {
  it("is in the address, and asked of the daemon as session.list takes it", () => {
    const choices = new Choices(new URLSearchParams("state=closed&zone=red,green&agent=triage&q=%20web%20"));
    expect(choices.query).toMatchObject({ state: "closed", zone: "red,green", agent: "triage", q: "web" });
    expect(choices.asked).toEqual({ zone: ["green", "red"], agent: "triage", search: "web" });
    expect(new Choices(new URLSearchParams("state=others")).state).toBe("open");
  });
});

describe("a fleet without an open session", () => {
  it("says that none is open", () => {
    const words = headlineWords({ total: 0, red: 0, soon: 0, orange: 0 });
    expect(`${words.subject}${words.rest}`).toBe("No session is open.");
  });

  it("knows of closed ones as soon as one closes", () => {
    const fleet = new Fleet();
    fleet.seed([], []);
    expect(fleet.hasClosed).toBe(false);
    fleet.apply({ type: "contextd.session.closed.v1", subject: "s", time: "2025-11-21T14:02:11.000Z", data: {} });
    expect(fleet.hasClosed).toBe(true);
    fleet.seed([], [], { hasClosed: true });
    expect(fleet.hasClosed).toBe(true);
  });
});
