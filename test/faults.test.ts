import { describe, expect, it } from "vitest";
import { readFaults } from "../src/faults.ts";

describe("the faults that the environment orders", () => {
  it("are none where nothing is ordered", () => {
    expect(readFaults({ CONTEXTD_LONG: "1" })).toBeNull();
  });

  it("are the unsafe controls of the store, and a failpoint that any other point passes", () => {
    const faults = readFaults({ CONTEXTD_FAULTS: '{"unsafe":{"dedupInMemory":true},"failpoint":"after_commit"}' });
    expect(faults?.unsafe).toEqual({ dedupInMemory: true });
    faults?.failpoint("before_commit");
  });

  it.each(["", "after_commit", '{"failpoint":"nowhere"}', '{"unsafe":{"ackbeforecommit":true}}', '{"passes":0}'])(
    "are refused when they are no such order: %s",
    (ordered) => {
      expect(() => readFaults({ CONTEXTD_FAULTS: ordered })).toThrow(/CONTEXTD_FAULTS is no JSON object/);
    },
  );
});
