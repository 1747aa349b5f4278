import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const load = (name: string) => import(new URL(`../../src/ui/static/${name}`, import.meta.url).href);
const { deedsOf, deedWords, editedWords, editsOf, passKind } = await load("app/pass-words.js");
const { passOf } = await load("screens/session/read/passes.js");
const { DECISION_TYPES } = await load("screens/session/read/decision-types.js");

const edit = (block_id: string, method: string) => ({ block_id, method });
const entry = (type: string, data: object) => ({ type, data: { pass_id: "p1", ...data } });
const compacted = {
  ...{ pass_id: "p1", strategy: "progressive+eviction", summarizer: "none", cause: "red" },
  ...{ tokens_before: 900, tokens_after: 400 },
};

describe("a pass in words", () => {
  it("counts blocks, not edits: of a block that was edited twice the last edit is told", () => {
    const deeds = deedsOf([edit("b1", "truncate"), edit("b2", "clear"), edit("b3", "merge"), edit("b1", "drop")]);
    expect(deedWords(deeds)).toBe("edited 3 blocks: 2 evicted, 1 merged");
    expect(deedWords(deeds)).toContain(editedWords(3));
  });

  it("says so where all went the same way, or nothing was edited", () => {
    expect(deedWords(deedsOf([edit("b1", "clear_input"), edit("b2", "drop")]))).toBe("edited 2 blocks: all evicted");
    expect(deedWords(deedsOf([edit("b1", "summarize")]))).toBe("edited 1 block: shortened");
    expect(deedWords(deedsOf([]))).toBe("edited no block");
  });

  it("tells from events what it tells from the explanation", () => {
    const entries = [
      entry("block.truncated", { block_id: "b1" }),
      entry("block.evicted", { block_id: "b1", method: "clear" }),
      entry("block.merged", { block_id: "b2" }),
      entry("block.summarized", { block_id: "b3" }),
      entry("history.compacted", compacted),
    ];
    expect(editsOf(entries)).toEqual([
      edit("b1", "truncate"),
      edit("b1", "clear"),
      edit("b2", "merge"),
      edit("b3", "summarize"),
    ]);
    expect(passOf(entries)).toMatchObject({
      kind: passKind(compacted, deedsOf(editsOf(entries))),
      what: "Edited 3 blocks: 1 evicted, 1 merged, 1 shortened",
    });
  });

  it("is called the same by whatever tells it", () => {
    const kind = (over: object, ...methods: string[]) =>
      passKind({ ...compacted, ...over }, deedsOf(methods.map((method, i) => edit(`b${i}`, method))));
    expect(kind({ cause: "window" }, "drop")).toBe("Fold");
    expect(kind({ strategy: "conversation_compaction" }, "drop")).toBe("Fold");
    expect(["drop", "merge", "truncate"].map((method) => kind({}, method))).toEqual(["Eviction", "Merge", "Summary"]);
    expect(kind({})).toBe("Ledger");
  });
});

describe("the types of events that decisions are told from", () => {
  it("have every type that names its pass, so that none is missing where the pass is told", () => {
    const file = new URL("../../src/telemetry/async-api/event-data.json", import.meta.url);
    const types = JSON.parse(readFileSync(file, "utf8")) as Record<string, { properties: object }>;
    const ofPasses = Object.keys(types).filter((type) => Object.hasOwn(types[type]?.properties ?? {}, "pass_id"));
    expect(ofPasses).toContain("history.compacted");
    expect(ofPasses.filter((type) => !DECISION_TYPES.includes(type))).toEqual([]);
  });
});
