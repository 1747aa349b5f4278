import { describe, expect, it } from "vitest";
import { listed } from "../support/page-daemon.ts";

// The page's modules are plain JavaScript for the browser; these have no need of one.
const load = (name: string) => import(new URL(`../../src/ui/static/${name}`, import.meta.url).href);
const { Fleet, situation } = await load("app/fleet.js");
const { headlineWords, overflowWords } = await load("screens/fleet/headline.js");
const { youngerThanAnHour } = await load("screens/fleet/tiles.js");
const { compact, signed, span, turns, windowSize } = await load("draw/format.js");
const { ASKED_TYPES, describeEvent } = await load("app/event-words.js");

function event(type: string, data: object, over: object = {}): object {
  return { type: `contextd.${type}.v1`, sequence: 1, time: "2025-11-21T14:02:11.000Z", subject: "s1", data, ...over };
}

function fleetOf(...sessions: object[]): InstanceType<typeof Fleet> {
  const fleet = new Fleet();
  fleet.seed(sessions, []);
  return fleet;
}

describe("the fleet of the page", () => {
  it("moves a session by its readings, and keeps one total a turn", () => {
    const fleet = fleetOf(listed(1, 0.3, { session_id: "s1", recent_tokens: [1, 2], turn: 7 }));
    const reading = {
      tokens: 90_000,
      max_tokens: 128_000,
      utilization: 0.7,
      zone: "yellow",
      velocity_tokens_per_turn: 5_000,
      turns_until_red: 5,
      turns_until_red_p90: 4,
      turn: 8,
    };
    fleet.apply(event("turn.started", { turn: 8 }));
    for (const moment of ["turn", "within", "edit"]) fleet.apply(event("pressure.measured", { ...reading, moment }));
    expect(fleet.sessions.get("s1")).toMatchObject({
      turn: 8,
      tokens: 90_000,
      zone: "yellow",
      recent_tokens: [1, 2, 90_000],
    });
  });

  it("tells the last edit by the pass, in turns of the session", () => {
    const fleet = fleetOf(listed(1, 0.3, { session_id: "s1", turn: 9 }));
    fleet.apply(event("history.compacted", { tokens_before: 100, tokens_after: 40, strategy: "hybrid" }));
    expect(fleet.sessions.get("s1").last_edit).toEqual({ turn: 9, tokens_freed: 60, strategy: "hybrid" });
  });

  it("does not guess at a session it was not told of, but asks for the list", () => {
    const fleet = fleetOf();
    fleet.apply(event("pressure.measured", { tokens: 1, moment: "turn", turn: 1 }));
    expect([fleet.sessions.size, fleet.unknown]).toEqual([0, true]);
    fleet.seed([], []);
    expect(fleet.unknown).toBe(false);
  });

  it("expects sessions that it was not told of, where the fleet is too large for it", () => {
    const fleet = fleetOf();
    fleet.seed([], [], { isWhole: false });
    fleet.apply(event("pressure.measured", { tokens: 1, moment: "turn", turn: 1 }));
    expect(fleet.unknown).toBe(false);
  });

  it("lets go of a closed session, and of a resolved alert", () => {
    const fleet = fleetOf(listed(1, 0.3, { session_id: "s1" }));
    fleet.apply(event("alert.raised", { alert: "A", severity: "critical", summary: "" }));
    expect(fleet.alerts.size).toBe(1);
    fleet.apply(event("alert.resolved", { alert: "A", severity: "critical", summary: "" }));
    fleet.apply(event("session.closed", { turns: 3 }));
    expect([fleet.alerts.size, fleet.sessions.size]).toEqual([0, 0]);
  });

  it("counts what the first line is about", () => {
    const sessions = [0.95, 0.92, 0.8, 0.2].map((utilization, i) =>
      listed(i, utilization, { turns_until_red: i === 2 ? 1.5 : 30 }),
    );
    expect(situation(sessions)).toEqual({ total: 4, red: 2, soon: 1, orange: 1, agents: 4 });
  });
});

describe("the headline", () => {
  it.each([
    [{ total: 9, red: 1, soon: 0, orange: 2 }, "red", "1 session is red."],
    [{ total: 9, red: 5, soon: 5, orange: 2 }, "red", "5 sessions are red. 5 more will be within 2 turns."],
    [{ total: 9, red: 0, soon: 1, orange: 2 }, "orange", "1 session will be red within 2 turns. None is red now."],
    [{ total: 9, red: 0, soon: 0, orange: 2 }, "orange", "2 sessions are orange. None is red."],
    [{ total: 9, red: 0, soon: 0, orange: 0 }, "green", "All 9 sessions have room."],
    [{ total: 1, red: 0, soon: 0, orange: 0 }, "green", "The one session has room."],
  ])("answers %j", (found, zone, words) => {
    const said = headlineWords(found);
    expect([said.zone, `${said.subject}${said.rest}`]).toEqual([zone, words]);
  });
});

describe("figures", () => {
  it("are short, with a true minus and their unit beside them", () => {
    expect([0, 999, 1_000, 98_320, 99_960, 662_000, 4_210_000].map(compact)).toEqual([
      "0",
      "999",
      "1.0k",
      "98.3k",
      "100k",
      "662k",
      "4.21M",
    ]);
    expect([signed(-9_000), signed(976), windowSize(128_000), windowSize(1_000_000), windowSize(8_192)]).toEqual([
      "−9.0k",
      "+976",
      "128k",
      "1M",
      "8.2k",
    ]);
    expect([turns(null), turns(0.74), turns(9.96), turns(100)]).toEqual(["–", "0.7", "10", "> 99"]);
    expect([-5, 59_000, 60_000, 7_200_000, 200_000_000].map(span)).toEqual([
      "0\u202fs",
      "59\u202fs",
      "1\u202fmin",
      "2\u202fh",
      "2\u202fd",
    ]);
  });
});

describe("the words of events", () => {
  it("are there for what the tail shows, and not for what moves the table", () => {
    expect(describeEvent(event("zone.changed", { to: "red", utilization: 0.928 }))).toEqual({
      shape: "zone",
      zone: "red",
      words: "to red, 92.8%",
    });
    // The score is a mean over kinds, no share of these facts: told beside them it would be another share.
    const judged = event("fidelity.evaluated", { kept: 8, probes: 15, score: 0.63, by_type: { goal: 1, error: 0.26 } });
    expect(describeEvent(judged)?.words).toBe("kept 8 of 15 facts");
    const floor = event("floor.detected", { floor_tokens: 8_406, max_tokens: 8_192, reserve_tokens: 2_048 });
    expect(describeEvent(floor)?.words).toBe("floor 78% of the window");
    expect(describeEvent(event("pressure.measured", {}))).toBeNull();
    expect(describeEvent(event("toString", {}))).toBeNull();
  });

  it("are asked for by names that the stream takes", async () => {
    const { readEventQuery } = await import("../../src/telemetry/event-stream/index.ts");
    const query = readEventQuery(new URLSearchParams({ types: ASKED_TYPES.join(",") }));
    expect(query.types).toEqual(ASKED_TYPES);
  });
});

describe("the overflows of the last hour", () => {
  it("are in the headline only while there are some", () => {
    expect(overflowWords(0, null)).toBe("");
    expect(overflowWords(1, null)).toBe(" 1 overflow in the last hour.");
    expect(overflowWords(3, youngerThanAnHour({ uptime_seconds: 720 }))).toBe(
      " 3 overflows since the start 12\u202fmin ago.",
    );
  });

  it("are of the time since the start where that is less, and say so", () => {
    expect(youngerThanAnHour({ uptime_seconds: 59 })).toBe("since the start 59\u202fs ago");
    expect(youngerThanAnHour({ uptime_seconds: 3_600 })).toBeNull();
  });
});
