import { describe, expect, test } from "vitest";
import { type Config, loadConfig, resolveSettings } from "../../src/config/index.ts";
import { type Candidate, keyOf, START, settingsOf, valueAt } from "../../src/tune/candidate.ts";
import type { Space } from "../../src/tune/space.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { CONFIG, SCHEMAS, spaceOf } from "./trials.ts";

/** Candidates of every kind: drawn, stepped to, crossed, made simpler. */
function candidatesOf(space: Space, count: number): Candidate[] {
  const known = new Set<string>([keyOf(START)]);
  const found: Candidate[] = [START];
  const add = (candidate: Candidate | null) => {
    if (candidate === null) return;
    known.add(keyOf(candidate));
    found.push(candidate);
  };
  for (let at = 0; found.length < count; at++) {
    const one = found[(at * 7) % found.length] as Candidate;
    const other = found[(at * 5) % found.length] as Candidate;
    if (at % 3 === 0) add(space.draw(known));
    else if (at % 3 === 1) add(space.near(one, known));
    else add(space.cross(one, other, known));
    found.push(...space.simpler(one).slice(0, 1));
  }
  return found.slice(1);
}

const resolved = (candidate: Candidate, config: Config = CONFIG) =>
  resolveSettings(config, config.profile, settingsOf(candidate));

describe("the space of settings", () => {
  const candidates = candidatesOf(spaceOf(1), 400);

  test("holds only settings that fit one another", () => {
    for (const candidate of candidates) expect(() => resolved(candidate)).not.toThrow();
  });

  test("names settings by their paths, and none that stands where it stood", () => {
    const start = resolved(START);
    const paths = new Set(spaceOf(1).dimensions.map(({ path }) => path));
    for (const candidate of candidates) {
      for (const [path, value] of Object.entries(candidate)) {
        expect(paths).toContain(path);
        expect(valueAt(start, path)).not.toEqual(value);
        expect(valueAt(resolved(candidate), path)).toEqual(value);
      }
    }
  });

  test("names no setting that has no effect beside the others", () => {
    expect(candidates.some((candidate) => candidate["eviction.policy"] === "lru")).toBe(true);
    expect(candidates.some((candidate) => candidate["ledger.enabled"] === false)).toBe(true);
    const offLedger = (candidate: Candidate) => Object.keys(candidate).filter((path) => /ledger\.[^e]/.test(path));
    for (const candidate of candidates) {
      const { eviction, ledger } = resolved(candidate);
      if (eviction.policy !== "hybrid") expect(candidate).not.toHaveProperty(["eviction.weights"]);
      if (!ledger.enabled) expect(offLedger(candidate)).toEqual([]);
      if (ledger.stable_share === 0) expect(candidate).not.toHaveProperty(["ledger.refresh_below"]);
      if (eviction.keep_recent_units === 1) expect(candidate).not.toHaveProperty(["eviction.keep_recent_tokens"]);
    }
  });

  test("gives a policy that frees as little as it must no depth, and a ledger only where that is switched on", () => {
    const minimal = candidates.filter((candidate) => candidate["eviction.policy"] === "drop_oldest");
    const isLedger = (path: string) => /ledger\.[^e]/.test(path);
    expect(minimal.some((candidate) => candidate["ledger.enabled"] === true)).toBe(true);
    for (const candidate of minimal) {
      expect(candidate).not.toHaveProperty(["eviction.target_utilization"]);
      if (candidate["ledger.enabled"] !== true) expect(Object.keys(candidate).filter(isLedger)).toEqual([]);
    }
    const batched = candidates.filter((candidate) => candidate["eviction.policy"] !== "drop_oldest");
    expect(batched.filter((candidate) => candidate["ledger.enabled"] === true)).toEqual([]);
  });

  test("reaches each of its settings, and weights that sum to 1", () => {
    for (const { path } of spaceOf(1).dimensions) {
      const values = candidates.flatMap((candidate) =>
        path in candidate ? [keyOf({ v: candidate[path] as never })] : [],
      );
      expect(new Set(values).size, path).toBeGreaterThanOrEqual(2);
    }
    for (const candidate of candidates) {
      const weights = Object.values((candidate["eviction.weights"] ?? { all: 1 }) as Record<string, number>);
      expect(Math.abs(weights.reduce((sum, weight) => sum + weight, 0) - 1)).toBeLessThan(0.04);
    }
  });

  test("has triggers from under 0.6 to over 0.8, and depths below each", () => {
    const oranges = candidates.flatMap((candidate) => {
      const { thresholds } = resolved(candidate).pressure;
      return thresholds === "auto" ? [] : [thresholds.orange];
    });
    expect(Math.min(...oranges)).toBeLessThan(0.6);
    expect(Math.max(...oranges)).toBeGreaterThan(0.8);
    for (const candidate of candidates) {
      const { eviction, pressure } = resolved(candidate);
      const orange = pressure.thresholds === "auto" ? 0.65 : pressure.thresholds.orange;
      if (eviction.target_utilization !== "auto") expect(eviction.target_utilization).toBeLessThan(orange);
    }
  });

  test("gives the same candidates for a seed", () => {
    expect(candidatesOf(spaceOf(1), 50)).toEqual(candidatesOf(spaceOf(1), 50));
    expect(candidatesOf(spaceOf(1), 50)).not.toEqual(candidatesOf(spaceOf(2), 50));
  });

  test("ends where all is known", () => {
    const space = spaceOf(1, ["ledger.enabled"]);
    const known = new Set([keyOf(START), keyOf({ "ledger.enabled": false })]);
    expect(space.draw(known)).toBeNull();
    expect(space.near(START, known)).toBeNull();
  });

  test("takes back one setting at a time to make a candidate simpler", () => {
    const candidate = { "eviction.policy": "lru", "eviction.keep_recent_units": 8 };
    expect(spaceOf(1).simpler(candidate)).toEqual([{ "eviction.keep_recent_units": 8 }, { "eviction.policy": "lru" }]);
  });

  test("drops with a policy what stood for that policy alone", () => {
    const candidate = { "eviction.policy": "drop_oldest", "ledger.enabled": true, "ledger.share": 0.2 };
    expect(spaceOf(1).simpler(candidate)).toEqual([
      { "ledger.share": 0.2 },
      { "eviction.policy": "drop_oldest" },
      { "eviction.policy": "drop_oldest", "ledger.enabled": true },
    ]);
  });

  test("starts from the settings of the config", () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "eviction: {policy: lru, keep_recent_units: 8}\nledger: {enabled: false}\n");
    const config = loadConfig({ file, environment: {}, flags: [] }, SCHEMAS);
    const found = candidatesOf(spaceOf(3, [], config), 100);
    expect(found.some((candidate) => candidate["eviction.policy"] === "hybrid")).toBe(true);
    for (const candidate of found) {
      expect(candidate["eviction.policy"]).not.toBe("lru");
      expect(candidate["eviction.keep_recent_units"]).not.toBe(8);
      if (!("ledger.enabled" in candidate)) expect(candidate).not.toHaveProperty(["ledger.share"]);
      else expect(candidate["ledger.enabled"]).toBe(true);
    }
  });
});
