import { describe, expect, it } from "vitest";
import { judgeLexically } from "../../src/fidelity/judge-lexical.ts";
import type { KeptProbe, ProbeType } from "../../src/model/probe.ts";

const exact = (type: ProbeType, ...facts: string[]): KeptProbe => ({ type, facts, within: null, share: 1 });
const near = (type: ProbeType, facts: string[], within = 120, share = 0.6): KeptProbe => ({
  type,
  facts,
  within,
  share,
});
const keeps = (probe: KeptProbe, ...texts: string[]) => judgeLexically([probe], texts).kept[0];

describe("the lexical judge", () => {
  it.each([
    ["another case", "TypeError: Bad Lease", "typeerror: bad lease"],
    ["other white space", "TypeError: bad lease", "TypeError:\n   bad\tlease"],
    ["other quotation marks", "no module named 'lease'", "No module named “lease”"],
    ["quoting within JSON", 'unknown key "lease"', '{"error": "unknown key \\"lease\\""}'],
    ["another folder before a path", "src/lease.ts", "/tmp/x81/repo/src/lease.ts (edited)"],
    ["a path with the other slash", "src/lease.ts", "C:\\repo\\src\\lease.ts"],
    ["separators of thousands", "36840", "36,840 ms in total"],
    ["closing zeros", "18", "18.00 dollars"],
    ["full-width characters", "lease_7", "ｌｅａｓｅ_７"],
    ["a long dash", "read-only lease", "read–only lease"],
    ["emphasis", "the lease expires", "the **lease** expires"],
  ])("finds a fact in %s", (_, fact, text) => {
    expect(keeps(exact("error", fact), text)).toBe(true);
  });

  it.each([
    ["a longer number", "184", "1184 ms"],
    ["the digits behind a point", "42", "18.42 ms"],
    ["the digits before a point", "18", "18.42 ms"],
    ["a longer name", "lease.ts", "my_lease.ts"],
    ["a hyphenated name", "lease.ts", "old-lease.ts"],
    ["another ending", "lease.ts", "lease.tsx"],
  ])("does not take %s for the fact", (_, fact, text) => {
    expect(keeps(exact("number", fact), text)).toBe(false);
  });

  it("wants all facts of an exact probe, wherever they stand", () => {
    expect(keeps(exact("error", "alpha_1", "beta_2"), "alpha_1", "and beta_2")).toBe(true);
    expect(keeps(exact("error", "alpha_1", "beta_2"), "alpha_1", "and gamma")).toBe(false);
  });

  const decision = near("decision", ["locklease", "decided", "move", "counter", "patching"]);

  it("wants a share of a decision's words together, whatever their endings and order", () => {
    expect(keeps(decision, "Counter moved into LockLease.")).toBe(true);
    expect(keeps(decision, "The counter is patched.")).toBe(false);
    expect(keeps(decision, "LockLease has a counter.")).toBe(false);
  });

  it("wants them around the key noun: words strewn over a text are no decision", () => {
    const strewn = ["decided", "move", "counter", "patching", "LockLease"].join(` ${"something else ".repeat(20)}`);
    expect(keeps(decision, strewn)).toBe(false);
  });

  it("wants a number's noun next to it", () => {
    const probe = near("number", ["2", "failed"], 60, 1);
    expect(keeps(probe, "Tests: 2 failed, 211 passed")).toBe(true);
    expect(keeps(probe, "failures: failed tests were 2")).toBe(true);
    expect(keeps(probe, `2 ${"other things ".repeat(9)} failed`)).toBe(false);
  });

  it("counts each type once, however many probes it has", () => {
    const probes = [exact("file", "a1.ts"), exact("file", "b1.ts"), exact("file", "c1.ts"), exact("error", "oops_1")];
    const verdict = judgeLexically(probes, ["a1.ts and b1.ts and c1.ts"]);
    expect(verdict).toEqual({ score: 0.5, byType: { file: 1, error: 0 }, kept: [true, true, true, false] });
  });

  it("has nothing to object to where nothing was asked", () => {
    expect(judgeLexically([], ["text"])).toEqual({ score: 1, byType: {}, kept: [] });
  });

  it("does not read the texts behind the one that settles the last probe", () => {
    const texts = ["a1.ts", "b1.ts"];
    const read: number[] = [];
    const watched = new Proxy(texts, {
      get(target, key, receiver) {
        if (typeof key === "string" && /^\d+$/.test(key)) read.push(Number(key));
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    judgeLexically([exact("file", "a1.ts")], watched);
    expect(read).not.toContain(2);
    judgeLexically([exact("file", "b1.ts")], watched);
    expect(Math.max(...read)).toBe(1);
  });
});
