import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SimilarityIndex } from "../../src/eviction/index.ts";

const whole = (id: string) => ({ id, state: "whole" as const });
const page = (seed: number, lines: number) =>
  Array.from({ length: lines }, (_, i) => `line${seed}x${i} value${(seed * 31 + i * 7) % 997} of module${seed}`).join(
    "\n",
  );

describe("SimilarityIndex", () => {
  it("finds for a block the newer one of the same text, at 1, and nothing for the newer", () => {
    const index = new SimilarityIndex();
    for (let i = 0; i < 30; i++) index.add(whole(`x${i}`), page(i, 40));
    index.add(whole("older"), page(99, 60));
    for (let i = 30; i < 60; i++) index.add(whole(`x${i}`), page(i, 40));
    index.add(whole("newer"), page(99, 60));
    expect(index.similarity("older")).toEqual({ score: 1, newerBlockId: "newer" });
    expect(index.similarity("newer")).toBeNull();
    expect(index.similarity("x3")?.newerBlockId ?? null).not.toBe("older");
  });

  it("scores a text with a few lines changed high and another text low", () => {
    const index = new SimilarityIndex();
    const lines = page(1, 100).split("\n");
    index.add(whole("a"), lines.join("\n"));
    index.add(whole("b"), [...lines.slice(0, 95), ...page(2, 5).split("\n")].join("\n"));
    index.add(whole("c"), page(7, 100));
    expect(index.similarity("a")?.newerBlockId).toBe("b");
    expect(index.similarity("a")?.score).toBeGreaterThan(0.85);
    expect(index.similarity("b")?.score ?? 0).toBeLessThan(0.5);
  });

  it("falls back to the next best when the best leaves, and to nothing when all have", () => {
    const index = new SimilarityIndex();
    for (const id of ["a", "b", "c"]) index.add(whole(id), page(1, 50));
    expect(index.similarity("a")?.newerBlockId).toBe("c");
    index.remove("c");
    expect(index.similarity("a")?.newerBlockId).toBe("b");
    index.remove("b");
    expect(index.similarity("a")).toBeNull();
  });

  it("is empty again after everything was removed", () => {
    const index = new SimilarityIndex();
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 80 }), { maxLength: 40 }), (texts) => {
        texts.forEach((text, i) => {
          index.add(whole(`b${i}`), text);
        });
        texts.forEach((_, i) => {
          index.remove(`b${i}`);
        });
        expect(index.size).toBe(0);
        index.add(whole("one"), "alpha beta");
        index.add(whole("two"), "alpha beta");
        expect(index.similarity("one")).toEqual({ score: 1, newerBlockId: "two" });
        index.remove("one");
        index.remove("two");
      }),
    );
  });

  it("answers the same for the same sequence, within 0 and 1", () => {
    const words = fc.constantFrom("a1", "b2", "c3", "d4", "e5", "f6", "g7");
    const texts = fc.array(fc.array(words, { maxLength: 20 }), { maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.array(fc.nat(29)), (all, gone) => {
        const built = [new SimilarityIndex(), new SimilarityIndex()];
        for (const index of built) {
          all.forEach((text, i) => {
            index.add(whole(`b${i}`), text.join(" "));
          });
          for (const i of gone) index.remove(`b${i}`);
        }
        for (let i = 0; i < all.length; i++) {
          const found = built[0]!.similarity(`b${i}`);
          expect(found).toEqual(built[1]!.similarity(`b${i}`));
          if (found === null) continue;
          expect(found.score).toBeGreaterThan(0);
          expect(found.score).toBeLessThanOrEqual(1);
          expect(Number(found.newerBlockId.slice(1))).toBeGreaterThan(i);
          expect(gone).not.toContain(Number(found.newerBlockId.slice(1)));
        }
      }),
      { numRuns: 60 },
    );
  });

  it("leaves out blocks whose content is gone, and texts without words", () => {
    const index = new SimilarityIndex();
    index.add({ id: "a", state: "cleared" }, "same words here");
    index.add({ id: "b", state: "merged" }, "same words here");
    index.add(whole("c"), " --- !!! ");
    expect(index.size).toBe(0);
  });

  it("knows how like the task a block is, also when the task changes", () => {
    const index = new SimilarityIndex();
    index.add(whole("a"), "invoice rounding in billing");
    expect(index.relevance("a")).toBe(0);
    index.setTask("mend invoice rounding");
    expect(index.relevance("a")).toBeGreaterThan(0.3);
    index.add(whole("b"), "invoice rounding");
    expect(index.relevance("b")).toBeGreaterThan(index.relevance("a"));
    index.setTask("paint the fence");
    expect(index.relevance("a")).toBe(0);
  });

  it("tells texts without blanks between words apart and finds them again", () => {
    const index = new SimilarityIndex();
    index.add(whole("a"), "上下文窗口管理器的内存压力很高");
    index.add(whole("b"), "天气晴朗适合去海边散步游泳");
    index.add(whole("c"), "上下文窗口管理器的内存压力较高");
    expect(index.similarity("a")?.newerBlockId).toBe("c");
  });

  it("reads a bounded part of a huge text", () => {
    const index = new SimilarityIndex();
    const megabytes = page(3, 60_000);
    const started = process.cpuUsage();
    for (let i = 0; i < 20; i++) index.add(whole(`b${i}`), megabytes);
    const { user } = process.cpuUsage(started);
    // 20 capped readings take some 40 ms; 20 whole ones of over 2 MB each take over a second.
    expect(user / 1_000).toBeLessThan(600);
    expect(index.similarity("b0")?.score).toBe(1);
  });
});
