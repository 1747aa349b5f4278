import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PublishedEvent } from "../../../src/model/events.ts";
import { lineOf, MEASUREMENTS, type Measurement } from "../../../src/telemetry/grafana-live/measurements.ts";
import { WindowLines } from "../../../src/telemetry/grafana-live/window-lines.ts";
import { Influxd } from "../../support/influxd.ts";
import { published } from "../../support/published-event.ts";
import { ZONE_CHANGED } from "./live-of.ts";

let influxd: Influxd | null = null;
beforeAll(async () => {
  influxd = await Influxd.start();
});
afterAll(async () => {
  await influxd?.[Symbol.asyncDispose]();
});

const ALL = new Set(MEASUREMENTS);
const EDIT = { pass_id: "p1", block_id: "b1", rule: "hybrid.sum", tokens_before: 900, tokens_after: 20, handle: "h" };

const EDITS: readonly PublishedEvent[] = [
  published("block.evicted", {
    ...EDIT,
    unit_id: 1,
    block_type: "tool_result",
    tool_name: "read_file",
    method: "clear",
    policy: "hybrid",
    score: 0.25,
    score_parts: { recency: 0.25 },
    tokens_freed: 880,
    replacement_hash: null,
    state: "cleared",
    turn: 7,
  } as never),
  published("block.merged", {
    ...EDIT,
    into_block_id: "b2",
    policy: "hybrid",
    score: 0.5,
    similarity: 0.99,
    tokens_freed: 880,
    replacement_hash: "x",
    turn: 7,
  }),
  published("block.summarized", {
    ...EDIT,
    block_type: "tool_result",
    tool_name: null,
    method: "head_tail",
    hash: "x",
    tokens_freed: 880,
    generation: 1,
    turn: 7,
  } as never),
  published("block.truncated", { ...EDIT, pass_id: null, hash: "x" }),
];

/** The fields of a line that InfluxDB has taken, `time` in ms; null where it is not installed. */
async function stored(line: string, measurement: string, at: number) {
  await influxd?.write([line]);
  const rows = (await influxd?.read(measurement)) ?? [];
  return rows.find((row) => row["time"] === at) ?? null;
}

const keysOf = (line: string) => [...line.matchAll(/(?:^\S+ |,)(\w+)=/g)].map(([, key]) => key);

describe("lineOf", () => {
  it("gives InfluxDB a change of zone as it was", async () => {
    const event = published("zone.changed", ZONE_CHANGED);
    const line = lineOf(event, ALL) as string;
    expect(line).toMatch(/^zone_event session_id="s1",.* 1763733731000000000$/);
    if (influxd === null) return;
    expect(await stored(line, "zone_event", event.at)).toEqual({
      time: event.at,
      session_id: "s1",
      tenant: "default",
      agent: "code-fix",
      profile: "default-128k",
      model: "gpt-4o",
      ...ZONE_CHANGED,
    });
  });

  it("gives every kind of edit the same fields in the same order, and figures that are missing as -1", async () => {
    const lines = EDITS.map((event) => lineOf(event, ALL) as string);
    const [first] = lines.map(keysOf);
    expect(first).toHaveLength(17);
    for (const line of lines) expect(keysOf(line)).toEqual(first);
    const at = EDITS[3]?.at as number;
    const row = await stored(lines[3] as string, "eviction_event", at);
    if (row !== null)
      expect(row).toMatchObject({ method: "truncate", tokens_freed: 880, score: -1, turn: -1, tool: "" });
  });

  it("sends no tags with events", () => {
    for (const event of [published("zone.changed", ZONE_CHANGED), ...EDITS]) {
      expect(lineOf(event, ALL)).toMatch(/^(zone|eviction)_event session_id=/);
    }
  });

  it("gives no line of a measurement that is not wanted, nor of another event", () => {
    const wanted = new Set<Measurement>(["eviction_event"]);
    expect(lineOf(published("zone.changed", ZONE_CHANGED), wanted)).toBeNull();
    expect(lineOf(published("turn.started", { turn: 1 }), ALL)).toBeNull();
  });

  it("is one line that InfluxDB takes and gives back bounded, whatever agents call themselves", async () => {
    let at = Date.UTC(2026, 0, 1);
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 200 }),
      fc.string({ unit: fc.constantFrom('"', "\\", "\n", ",", "=", " ", "\u202e", "\0") }),
      fc.constantFrom("NaN", "", "\ud800", "t", "1i", "\\"),
    );
    await fc.assert(
      fc.asyncProperty(name, name, name, async (session, agent, model) => {
        const labels = { agent, profile: "p", model };
        const line = lineOf(published("zone.changed", ZONE_CHANGED, { session, labels, at: ++at }), ALL) as string;
        expect(line).not.toMatch(/[\n\r\0]/);
        if (influxd === null) return;
        const row = await stored(line, "zone_event", at);
        for (const key of ["session_id", "agent", "model"]) {
          expect([...String(row?.[key])].length).toBeLessThanOrEqual(80);
          expect(row?.[key]).not.toBe("NaN");
        }
        if (/^[\w-]{1,80}$/.test(session)) expect(row?.["session_id"]).toBe(session === "NaN" ? "'NaN'" : session);
      }),
      { numRuns: 100 },
    );
  });
});

describe("WindowLines", () => {
  const session = (profile: string, zone: "green" | "red", utilization: number) => ({
    profile,
    zone,
    utilization,
    tokens: utilization * 1_000,
  });

  it("tells how full the sessions are by profile and zone, in lines that InfluxDB takes", async () => {
    const at = Date.UTC(2026, 0, 1);
    const sessions = [session("p", "green", 0.2), session("p", "green", 0.4), session("q r", "red", 0.95)];
    const lines = new WindowLines().read(sessions, at);
    expect(lines).toHaveLength(8);
    expect(lines[0]).toMatch(/^window,profile=p,zone=green sessions=2,utilization=0\.30+\d*,utilization_max=0\.4,/);
    await influxd?.write(lines);
    const rows = (await influxd?.read("window")) ?? [];
    if (influxd === null) return;
    expect(rows.find((row) => row["profile"] === "q r" && row["zone"] === "red")).toEqual({
      time: at,
      profile: "q r",
      zone: "red",
      sessions: 1,
      utilization: 0.95,
      utilization_max: 0.95,
      tokens: 950,
    });
  });

  it("ends the curve of a profile at zero when its sessions are gone", () => {
    const window = new WindowLines();
    window.read([session("p", "red", 0.9)], 1);
    expect(window.read([], 2)).toEqual(
      ["green", "yellow", "orange", "red"].map(
        (zone) => `window,profile=p,zone=${zone} sessions=0,utilization=0,utilization_max=0,tokens=0 2000000`,
      ),
    );
  });

  it("is as many lines for 10,000 sessions as for ten, however many profiles are named", () => {
    const many = Array.from({ length: 10_000 }, (_, n) => session(`p${n}`, "green", 0.5));
    expect(new WindowLines().read(many, 1).length).toBe(51 * 4);
  });
});
