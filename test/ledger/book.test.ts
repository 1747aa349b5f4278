import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Book } from "../../src/ledger/book.ts";
import { FEATURES, readFeatures } from "../../src/ledger/features/index.ts";
import { PassView } from "../../src/ledger/pass-view.ts";
import { trimmed } from "../../src/lines/index.ts";
import { Conversation, textPart } from "./conversation.ts";

const hiddenLines = ({ hidden }: Book) => [...hidden].map(({ text }) => trimmed(text)).sort();

/** Features of every hidden line, by its text. */
function featuresOf(book: Book): Record<string, number[]> {
  const view = new PassView(book);
  const features = new Float64Array(FEATURES.length);
  return Object.fromEntries(
    [...book.hidden].map((line) => {
      readFeatures(line, view, features);
      return [trimmed(line.text), [...features]];
    }),
  );
}

const WORDS = [
  "alpha_one",
  "src/beta.py",
  "gamma.delta",
  "4711",
  "plain",
  "error: failed",
  "--flag-x",
  "`a quoted one`",
];

interface Step {
  readonly role: "user" | "assistant" | "tool";
  readonly lines: readonly string[];
  /** What is hidden before it: the how manieth block, and how many of its lines stay. */
  readonly hides: { readonly block: number; readonly left: number } | null;
}

const step: fc.Arbitrary<Step> = fc.record({
  role: fc.constantFrom("user", "assistant", "tool"),
  lines: fc.array(
    fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
    { minLength: 1, maxLength: 4 },
  ),
  hides: fc.option(fc.record({ block: fc.nat(20), left: fc.nat(2) }), { nil: null }),
});

/** A plain record of what a book should know. */
class Shelf {
  readonly book = new Book();
  readonly blocks: { readonly all: readonly string[]; shown: readonly string[] }[] = [];

  play({ role, lines, hides }: Step): void {
    const block = hides && this.blocks[hides.block];
    if (hides && block) {
      block.shown = block.all.filter((line) => block.shown.includes(line)).slice(0, hides.left);
      const instead = block.shown.length === 0 ? null : textPart([...block.shown, "[cut]"].join("\n"));
      this.book.hide(String(hides.block), instead);
    }
    const blockId = String(this.blocks.length);
    this.book.add({ role, pinned: false, pieces: [{ blockId, part: textPart(lines.join("\n")) }] });
    this.blocks.push({ all: [...new Set(lines)], shown: lines });
  }

  get hidden(): string[] {
    const shown = new Set(this.blocks.flatMap(({ shown }) => shown));
    return [...new Set(this.blocks.flatMap(({ all }) => all))].filter((line) => !shown.has(line)).sort();
  }
}

describe("the book", () => {
  test("knows as hidden each line that has stood in the context and that no block shows any more", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const shelf = new Shelf();
        for (const each of steps) shelf.play(each);
        expect(hiddenLines(shelf.book)).toEqual(shelf.hidden);
      }),
      { numRuns: 300 },
    );
  });

  test("is changed by no look at it: passes in between leave the features as they are without them", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const [looked, left] = [new Shelf(), new Shelf()];
        for (const each of steps) {
          looked.play(each);
          featuresOf(looked.book);
          left.play(each);
        }
        expect(featuresOf(looked.book)).toEqual(featuresOf(left.book));
      }),
      { numRuns: 100 },
    );
  });

  test("gives finite features", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const shelf = new Shelf();
        for (const each of steps) shelf.play(each);
        for (const features of Object.values(featuresOf(shelf.book))) {
          expect(features.every((feature) => Number.isFinite(feature))).toBe(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("counts who held a value, and when the assistant wrote it", () => {
    const talk = new Conversation();
    talk.says("user", "the task", true);
    const result = talk.calls("look", { where: "src" }, "key_value stands here\nnothing here");
    talk.says("assistant", "I take key_value.");
    talk.says("user", "go on");
    talk.book.hide(result);
    const [value] = talk.book.vocabulary.find("key_value stands here")?.values ?? [];
    expect(value).toMatchObject({ entries: 2, mentions: 1, reuses: 1, first: 0, lastMention: 1, shown: 1 });
    const view = new PassView(talk.book);
    expect(value && view.isHidden(value)).toBe(false);
    expect(hiddenLines(talk.book)).toEqual(["key_value stands here", "nothing here"]);
  });

  test("takes names of tools for no values", () => {
    const talk = new Conversation();
    talk.calls("read_file", { path: "a/b.py" }, "read_file says other_name");
    const names = talk.book.vocabulary.find("read_file says other_name")?.values.length;
    expect(names).toBe(1);
  });

  test("counts the values of a recalled block as mentioned once more, at the current turn", () => {
    const talk = new Conversation();
    const block = talk.says("assistant", "one_value");
    talk.says("assistant", "two_value");
    talk.says("assistant", "and so on");
    talk.book.recall(block);
    expect(talk.book.vocabulary.find("one_value")?.values[0]).toMatchObject({ mentions: 2, lastMention: 2 });
    expect(talk.book.vocabulary.find("two_value")?.values[0]).toMatchObject({ mentions: 1, lastMention: 1 });
  });

  test("forgets what went first, by whole messages, when more is hidden than it keeps", () => {
    const told = new Conversation(6);
    told.says("user", "the task", true);
    const blocks = Array.from({ length: 40 }, (_, n) =>
      told.calls(
        "read",
        { path: `src/${n}.py` },
        `alpha_${n} = 1\nbeta_${n} = ${9000 + n}\nshared_line = 7\ngamma_${n}()`,
      ),
    );
    const grown = told.book.vocabulary.lineCount;
    for (const block of blocks) told.book.hide(block);
    expect(told.book.hidden.size, "not while blocks leave").toBeGreaterThan(100);
    told.says("assistant", "Done.");
    expect(told.book.hidden.size).toBeLessThanOrEqual(6);
    expect(hiddenLines(told.book)).toContain("gamma_39()");
    expect(told.book.vocabulary.find("alpha_3 = 1"), "a line that is forgotten").toBeUndefined();
    expect(told.book.vocabulary.find("shared_line = 7"), "a line that newer messages hold").toBeDefined();
    expect(told.book.vocabulary.lineCount).toBeLessThan(grown - 100);
    for (const features of Object.values(featuresOf(told.book))) expect(features.every(Number.isFinite)).toBe(true);
    told.says("tool", "alpha_3 = 1");
    expect(told.book.vocabulary.find("alpha_3 = 1")?.values[0]?.entries, "seen again, it is new").toBe(1);
  });

  test("reads the ends of a piece of very many lines, in bounded time", () => {
    const told = new Conversation();
    const block = told.says("tool", Array.from({ length: 300_000 }, (_, n) => `row_${n} = ${n}`).join("\n"));
    expect(told.book.vocabulary.find("row_0 = 0")).toBeDefined();
    expect(told.book.vocabulary.find("row_299999 = 299999")).toBeDefined();
    expect(told.book.vocabulary.lineCount).toBe(5000);
    told.book.hide(block);
    expect(told.book.hidden.size).toBe(5000);
  });

  test("neither hides nor shows what was withdrawn", () => {
    const told = new Conversation();
    const block = told.says("user", "the key stands in src/vault.py");
    const line = told.book.vocabulary.find("the key stands in src/vault.py");
    expect([line?.shown, line?.values[0]?.shown]).toEqual([1, 1]);
    told.book.withdraw(block);
    expect([line?.shown, line?.values[0]?.shown]).toEqual([0, 0]);
    expect(hiddenLines(told.book)).toEqual([]);
  });

  test("does not forget a message of which something is shown", () => {
    const told = new Conversation(0);
    told.says("tool", "kept_line = 1");
    const block = told.says("tool", "kept_line = 1\nother_line = 2");
    told.book.hide(block);
    told.says("assistant", "Done.");
    expect(told.book.vocabulary.find("kept_line = 1")?.shown).toBe(1);
    expect(told.book.vocabulary.find("other_line = 2")).toBeDefined();
    expect(told.book.hidden.size).toBe(0);
  });

  test("passes over blocks that it does not know", () => {
    const book = new Book();
    expect(() => book.hide("nowhere")).not.toThrow();
    expect(book.hidden.size).toBe(0);
  });
});
