import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractIdentifiers } from "../../src/references/identifiers.ts";
import { identifierHashes, ReferenceIndex } from "../../src/references/reference-index.ts";

/** What the index must equal: every block's identifiers as strings, looked through at each use. */
class NaiveIndex {
  readonly blocks = new Map<string, Set<string>>();
  readonly maxBlocks: number;

  constructor(maxBlocks: number) {
    this.maxBlocks = maxBlocks;
  }

  use(text: string): Map<string, number> {
    const weights = new Map<string, number>();
    for (const identifier of extractIdentifiers(text)) {
      const holders = [...this.blocks].filter(([, identifiers]) => identifiers.has(identifier));
      if (holders.length > this.maxBlocks) continue;
      for (const [id] of holders) weights.set(id, (weights.get(id) ?? 0) + 1 / holders.length);
    }
    return weights;
  }
}

describe("the index of references", () => {
  it("traces a text to the live blocks that hold its identifiers, rarer ones weighing more", () => {
    const index = new ReferenceIndex();
    index.add("b1", "def read_table(): pass  # src/io.py");
    index.add("b2", "src/io.py was changed");
    index.add("b3", "nothing to see");
    expect(index.use("call read_table of src/io.py")).toEqual(
      new Map([
        // read_table stands in one block; the path in two (its base name is too short to count).
        ["b1", 1 + 1 / 2 + 1 / 2],
        ["b2", 1 / 2 + 1 / 2],
      ]),
    );
  });

  it("forgets a block that has left", () => {
    const index = new ReferenceIndex();
    index.add("b1", "read_table");
    index.add("b2", "read_table");
    index.remove("b1");
    expect(index.use("read_table")).toEqual(new Map([["b2", 1]]));
    expect(index.size).toBe(1);
  });

  it("reads a block anew when its content was replaced", () => {
    const index = new ReferenceIndex();
    index.add("b1", "old_name");
    index.add("b1", "new_name");
    expect(index.use("old_name")).toEqual(new Map());
    expect(index.use("new_name")).toEqual(new Map([["b1", 1]]));
  });

  it("tells which identifiers a block holds, and whether any block holds one", () => {
    const index = new ReferenceIndex();
    index.add("b1", "read_table and write_table");
    const [held = 0, ...others] = index.identifiersOf("b1") ?? [];
    expect(others).toHaveLength(1);
    expect([held]).toEqual([...identifierHashes("read_table")]);
    expect(index.holds(held)).toBe(true);
    index.add("b1", "write_table");
    expect(index.holds(held)).toBe(false);
    expect(index.identifiersOf("b2")).toBeNull();
  });

  it("does not mind a block that it never read", () => {
    const index = new ReferenceIndex();
    index.remove("b1");
    expect(index.size).toBe(0);
  });

  it("ignores an identifier that too many blocks hold, until fewer do", () => {
    const index = new ReferenceIndex({ maxBlocks: 2 });
    for (const id of ["b1", "b2", "b3"]) index.add(id, "common_name");
    expect(index.use("common_name")).toEqual(new Map());
    index.remove("b2");
    expect(index.use("common_name")).toEqual(
      new Map([
        ["b1", 0.5],
        ["b3", 0.5],
      ]),
    );
  });

  it("does not look through the holders of a common identifier", () => {
    const index = new ReferenceIndex();
    for (let block = 0; block < 20_000; block++) index.add(`b${block}`, `common_name own_${block}`);
    expect(index.use("common_name own_77")).toEqual(new Map([["b77", 1]]));
    const begun = performance.now();
    for (let block = 0; block < 20_000; block++) index.remove(`b${block}`);
    // 20,000 departures from a posting of 20,000: seconds if each looked through it.
    expect(performance.now() - begun).toBeLessThan(1_000);
    expect(index.size).toBe(0);
  });

  it("equals a look through all blocks after any arrivals, changes and departures", () => {
    const word = fc.oneof(fc.integer({ min: 0, max: 1 }), fc.integer({ min: 0, max: 11 })).map((n) => `name_${n}`);
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(" "));
    const blockId = fc.integer({ min: 0, max: 40 }).map((n) => `b${n}`);
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("add" as const), blockId, text }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), blockId, text }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("use" as const), blockId, text }) },
    );
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 200, size: "max" }),
        fc.integer({ min: 1, max: 30 }),
        (steps, maxBlocks) => {
          const index = new ReferenceIndex({ maxBlocks });
          const naive = new NaiveIndex(maxBlocks);
          for (const each of [...steps, { kind: "use" as const, blockId: "", text: "name_0 name_1 name_2" }]) {
            if (each.kind === "add") {
              index.add(each.blockId, each.text);
              naive.blocks.set(each.blockId, new Set(extractIdentifiers(each.text)));
            } else if (each.kind === "remove") {
              index.remove(each.blockId);
              naive.blocks.delete(each.blockId);
            } else {
              const weights = index.use(each.text);
              const expected = naive.use(each.text);
              expect([...weights.keys()].sort()).toEqual([...expected.keys()].sort());
              for (const [id, weight] of expected) expect(weights.get(id)).toBeCloseTo(weight, 9);
            }
            expect(index.size).toBe(naive.blocks.size);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("tells apart 300,000 similar identifiers, where a hash of 32 bits mixes up some ten", () => {
    const index = new ReferenceIndex();
    const textOf = (block: number) => Array.from({ length: 50 }, (_, n) => `value_${block * 50 + n}`).join(" ");
    for (let block = 0; block < 6_000; block++) index.add(`b${block}`, textOf(block));
    let exact = 0;
    for (let block = 0; block < 6_000; block++) {
      const weights = index.use(textOf(block));
      if (weights.size === 1 && weights.get(`b${block}`) === 50) exact += 1;
    }
    expect(exact).toBe(6_000);
  });
});
