import { describe, expect, it } from "vitest";
import { type ListedSession, listed } from "../support/page-daemon.ts";

const load = (name: string) => import(new URL(`../../src/ui/static/screens/fleet/${name}`, import.meta.url).href);
const { Standing } = await load("standing.js");
const { BUCKETS, bucketOf } = await load("buckets.js");
const { stripLayout } = await load("strip-layout.js");
const { SessionOrder } = await load("session-order.js");
const { Choices } = await load("choices.js");
const { addressOfEvent, kindOf } = await load("event-kinds.js");

const LEVELS = [0.93, 0.86, 0.66, 0.3, 0.05];

function fleet(size: number): ListedSession[] {
  return Array.from({ length: size }, (_, i) =>
    listed(i, LEVELS[i % LEVELS.length] as number, { session_id: `s${i}` }),
  );
}

/** Sessions of each bucket in order, as the strip would draw them. */
function drawn(standing: InstanceType<typeof Standing>, inBlocks = false): string[][] {
  return standing.ordered(inBlocks).map((slots: number[]) => slots.map((slot) => standing.ids[slot]));
}

function standingOf(sessions: readonly ListedSession[]): InstanceType<typeof Standing> {
  const standing = new Standing();
  for (const session of sessions) standing.put(session, true, true);
  return standing;
}

describe("where sessions stand in the strip", () => {
  it("is by turns until red: what is red first, what does not grow last", () => {
    const bucket = (over: Partial<ListedSession>) => BUCKETS[bucketOf(listed(1, 0.3, over))].name;
    expect(bucket({ zone: "red", turns_until_red: null })).toBe("red now");
    expect(bucket({ turns_until_red: 0.4 })).toBe("≤ 2");
    expect(bucket({ turns_until_red: 2 })).toBe("≤ 2");
    expect(bucket({ turns_until_red: 2.1 })).toBe("3–5");
    expect(bucket({ turns_until_red: 80 })).toBe("41–80");
    expect(bucket({ turns_until_red: 9_000 })).toBe("> 80");
    expect(bucket({ turns_until_red: null })).toBe("not growing");
  });

  it("is the same after moves, filters and removals as if they were put anew", () => {
    const sessions = fleet(300);
    const moved = standingOf(sessions);
    drawn(moved);
    for (const [i, session] of sessions.entries()) {
      if (i % 3 === 0)
        Object.assign(session, listed(i, LEVELS[(i + 2) % 5] as number, { session_id: session.session_id }));
      moved.put(session, i % 7 !== 0, i % 7 !== 0);
      if (i % 11 === 0) moved.remove(session.session_id);
    }
    const left = sessions.filter((_, i) => i % 11 !== 0);
    const anew = new Standing();
    for (const session of left) {
      const passes = sessions.indexOf(session) % 7 !== 0;
      anew.put(session, passes, passes);
    }
    expect(drawn(moved)).toEqual(drawn(anew));
    expect(drawn(moved, true)).toEqual(drawn(anew, true));
    expect([...moved.counts]).toEqual([...anew.counts]);
    expect([...moved.zoneCounts]).toEqual([...anew.zoneCounts]);
    expect(moved.total).toBe(anew.total);
  });

  it("sorts the bucket that a session left and the one that it came to", () => {
    const sessions = fleet(60);
    const standing = standingOf(sessions);
    drawn(standing);
    const one = sessions[3] as ListedSession;
    for (const turns of [1, 15, null]) {
      standing.put(Object.assign(one, { zone: "green", turns_until_red: turns }), true, true);
      expect(drawn(standing)).toEqual(drawn(standingOf(sessions)));
    }
    standing.remove(one.session_id);
    expect(drawn(standing).flat()).not.toContain(one.session_id);
    expect(drawn(standing).flat()).toHaveLength(59);
  });

  it("counts a zone whether or not it is shown, so that its key says what it would show", () => {
    const standing = new Standing();
    for (const session of fleet(10)) standing.put(session, true, session.zone === "red");
    expect(standing.total).toBe(2);
    expect(standing.zoneCounts[0]).toBe(4);
  });

  it("tells a change only where something that is drawn changed", () => {
    const [session] = fleet(1) as [ListedSession];
    const standing = standingOf([session]);
    const before = standing.version;
    standing.put({ ...session, last_seen: session.last_seen + 5_000 }, true, true);
    expect(standing.version).toBe(before);
    standing.put({ ...session, utilization: 0.95 }, true, true);
    expect(standing.version).toBe(before + 1);
  });
});

describe("the layout of the strip", () => {
  it.each([320, 499, 700, 1_340, 2_400])("finds each cell at its own middle, and keeps within %i px", (width) => {
    for (const size of [1, 40, 312]) {
      const { counts } = standingOf(fleet(size));
      const layout = stripLayout(counts, width);
      for (let bucket = 0; bucket < counts.length; bucket++) {
        for (let place = 0; place < counts[bucket]; place++) {
          const cell = layout.cell(bucket, place);
          expect(cell.x + cell.width).toBeLessThanOrEqual(width + 1);
          expect(layout.at(cell.x + Math.min(cell.width, layout.pitch) / 2, cell.y + cell.height / 2)).toEqual({
            bucket,
            place,
          });
        }
      }
    }
  });

  it("sorts zones into blocks when a bar is too short for its length to be read", () => {
    expect(stripLayout(standingOf(fleet(60)).counts, 1_340).inBlocks).toBe(false);
    expect(stripLayout(standingOf(fleet(5_000)).counts, 1_340).inBlocks).toBe(true);
  });

  it("is walked from edge to edge without leaving out a bucket that has sessions", () => {
    for (const width of [400, 1_340]) {
      const { counts } = standingOf(fleet(120));
      const layout = stripLayout(counts, width);
      const key = width < 500 ? "ArrowDown" : "ArrowRight";
      const seen = new Set<number>();
      let at = { bucket: counts.findIndex((n: number) => n > 0), place: 0 };
      for (let i = 0; i < 200; i++) {
        seen.add(at.bucket);
        at = layout.step(at, key);
      }
      expect(seen.size).toBe([...counts].filter((n) => n > 0).length);
      expect(at.place).toBeLessThan(counts[at.bucket]);
    }
  });
});

describe("the order of the table", () => {
  const soonest = (a: ListedSession, b: ListedSession) =>
    (a.turns_until_red ?? 1e9) - (b.turns_until_red ?? 1e9) || (a.session_id < b.session_id ? -1 : 1);

  it("is the same after single moves as if all were sorted", () => {
    const sessions = new Map(fleet(200).map((session) => [session.session_id, session]));
    const matches = (session: ListedSession) => session.zone !== "green";
    const order = new SessionOrder(soonest, matches);
    order.settle(sessions, false);
    for (let step = 0; step < 40; step++) {
      for (let k = 0; k < 5; k++) {
        const id = `s${(step * 31 + k * 17) % 200}`;
        const session = sessions.get(id);
        if (session === undefined) continue;
        if (step % 13 === 0) sessions.delete(id);
        else Object.assign(session, listed(step + k, LEVELS[(step + k) % 5] as number, { session_id: id }));
        order.touch(id);
      }
      order.settle(sessions, false);
      expect(order.list).toEqual([...sessions.values()].filter(matches).sort(soonest));
    }
  });

  it("stands still while it is held, but for what is gone, and is made up for afterwards", () => {
    const sessions = new Map(fleet(20).map((session) => [session.session_id, session]));
    const order = new SessionOrder(soonest, () => true);
    order.settle(sessions, false);
    const before = order.list.map((session: ListedSession) => session.session_id);
    Object.assign(sessions.get(before[10]) as ListedSession, { turns_until_red: 0 });
    sessions.delete(before[3]);
    for (const id of [before[10], before[3]]) order.touch(id);
    order.settle(sessions, true);
    const ids = () => order.list.map((session: ListedSession) => session.session_id);
    expect(ids()).toEqual(before.filter((_: string, i: number) => i !== 3));
    order.settle(sessions, false);
    expect(order.list).toEqual([...sessions.values()].sort(soonest));
  });
});

describe("what is chosen", () => {
  it("comes from the address and goes back into it", () => {
    const choices = new Choices(new URLSearchParams("zone=red,orange,nonsense&agent=triage&q=web"));
    expect(choices.query).toEqual({ state: "", zone: "red,orange", agent: "triage", profile: "", model: "", q: "web" });
    const session = listed(4, 0.93, { session_id: "web-1" });
    expect(choices.matches(session)).toBe(true);
    expect(choices.matches({ ...session, zone: "green" })).toBe(false);
    expect(choices.passes({ ...session, zone: "green" })).toBe(true);
    expect(choices.matches({ ...session, agent: "other" })).toBe(false);
    choices.clear();
    expect(choices.isOpen).toBe(true);
  });
});

describe("an event of the tail", () => {
  const href = (names: string[], choices: object) => JSON.stringify([names, choices]);
  const event = (type: string, subject: string | undefined, data: object) => ({
    type: `contextd.${type}.v1`,
    subject,
    data,
  });

  it("leads to its decision, its alert or its session", () => {
    const pass = event("regret.detected", "s1", { pass_id: "p7", block_id: "b3", turn: 9 });
    expect(addressOfEvent(pass, href)).toBe(href(["session", "s1", "decision", "p7"], { block: "b3" }));
    const alert = event("alert.raised", "s1", { alert: "RegretHigh", turn: 9 });
    expect(addressOfEvent(alert, href)).toBe(href(["session", "s1"], { alert: "RegretHigh", turn: 9 }));
    expect(addressOfEvent(event("config.reloaded", undefined, {}), (names: string[]) => names)).toEqual(["system"]);
  });

  it("is of a kind that the filter has", () => {
    expect(kindOf(event("block.summarized", "s1", {}))).toBe("edit");
    expect(kindOf(event("recall.served", "s1", {}))).toBe("again");
    expect(kindOf(event("config.reloaded", undefined, {}))).toBe("daemon");
  });
});
