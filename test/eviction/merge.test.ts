import { describe, expect, it } from "vitest";
import { isMergeable, mergeText } from "../../src/eviction/merge.ts";
import { ContextBuilder } from "../support/context-builder.ts";

function pair(olderText: string, newerText: string) {
  const built = new ContextBuilder();
  const older = built.nextTurn().call("bash", { command: "make test" }, olderText).blocks[1]!;
  const newer = built.nextTurn().call("read_file", { path: "out.log" }, newerText).blocks[1]!;
  return { older, newer };
}

describe("mergeText", () => {
  it("says where the same content is", () => {
    const { older, newer } = pair("one\ntwo", "one\ntwo");
    expect(mergeText(older, newer, false)).toBe(`[same as #${newer.id} (turn 2 read_file "out.log")]`);
    expect(mergeText(older, newer, true)).toContain(`original ${older.handle}]`);
  });

  it("keeps the older block's differing lines whole and in their order, counting repeated lines", () => {
    const { older, newer } = pair("a\nx = 1\nb\na\ny = 2", "a\nb\nz\n");
    const text = mergeText(older, newer, false)!;
    expect(text.split("\n").slice(1)).toEqual(["x = 1", "a", "y = 2"]);
    expect(text).toContain("where 1 line is new, except these lines]");
  });

  it("gives up when too much differs", () => {
    const lines = (name: string) => Array.from({ length: 300 }, (_, i) => `${name}${i}`).join("\n");
    const { older, newer } = pair(lines("a"), lines("b"));
    expect(mergeText(older, newer, false)).toBeNull();
  });
});

describe("isMergeable", () => {
  it("never merges thinking, a user's words, call arguments, or what is no longer whole", () => {
    const built = new ContextBuilder();
    const user = built.user("same").blocks[0]!;
    const [thinking, call, result] = built.call("t", {}, "same", { thinking: "same" }).blocks;
    expect(isMergeable(result!)).toBe(true);
    for (const block of [user, thinking!, call!]) expect(isMergeable(block)).toBe(false);
    result!.state = "cleared";
    expect(isMergeable(result!)).toBe(false);
  });
});
