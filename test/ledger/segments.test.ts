import { describe, expect, test } from "vitest";
import { ledgerText, rowsOfLedger } from "../../src/ledger/index.ts";
import { PassView } from "../../src/ledger/pass-view.ts";
import { chooseLedger, type LedgerLimits } from "../../src/ledger/segments.ts";
import { Conversation } from "./conversation.ts";

/** Estimates nothing: all lines are worth the same, but for what they hold. */
const MODEL = { score: () => 0.5 };
const LIMITS: LedgerLimits = { tokens: 100, mostTokens: 100, stableShare: 0.5, refreshBelow: 0.5, leastNeed: 0 };
const tokensOf = (row: string) => Math.ceil(row.length / 4) + 1;
const sum = (rows: readonly string[]) => rows.reduce((total, row) => total + tokensOf(row), 0);

/** A conversation of that many results of ten lines, all but the newest hidden. */
function hiddenResults(count: number): Conversation {
  const talk = new Conversation();
  talk.says("user", "the task", true);
  for (let turn = 0; turn < count; turn++) addResult(talk, turn);
  return talk;
}

function addResult(talk: Conversation, turn: number): void {
  const lines = Array.from({ length: 10 }, (_, at) => `  name_${turn}_${at} is defined here`);
  talk.book.hide(talk.calls("look", { file: `src/f${turn}.py` }, lines.join("\n")));
}

function choiceOf(talk: Conversation, stable: readonly string[] = [], limits: Partial<LedgerLimits> = {}) {
  const sources = { view: new PassView(talk.book), model: MODEL, tokensOf, factor: () => 1 };
  return chooseLedger(sources, { ...LIMITS, ...limits }, stable);
}

const placeOf = (row: string) => {
  const [, turn = "", at = ""] = /name_(\d+)_(\d+)/.exec(row) ?? [];
  return Number(turn) * 100 + Number(at);
};

describe("a ledger", () => {
  const talk = hiddenResults(6);
  const choice = choiceOf(talk);

  test("keeps within its tokens, the stable segment within its share", () => {
    expect(choice.stable.length).toBeGreaterThan(0);
    expect(choice.fresh.length).toBeGreaterThan(0);
    expect(sum(choice.stable)).toBeLessThanOrEqual(50);
    expect(sum(choice.stable) + sum(choice.fresh)).toBeLessThanOrEqual(100);
    expect(choice.candidates).toBe(60);
  });

  test("holds a line once, in the order of the sources, without their indentation", () => {
    for (const rows of [choice.stable, choice.fresh]) {
      expect(rows).toEqual([...rows].sort((a, b) => placeOf(a) - placeOf(b)));
      for (const row of rows) expect(row).toBe(row.trim());
    }
    const plain = new Conversation();
    plain.book.hide(plain.calls("look", {}, ["no value here", "none here either", "nor on this line"].join("\n")));
    for (const { stable, fresh } of [choice, choiceOf(plain, [], { tokens: 24 })]) {
      expect(new Set([...stable, ...fresh]).size).toBe(stable.length + fresh.length);
    }
  });

  test("gives its stable segment up when that takes more than there is room for at most", () => {
    const kept = choiceOf(talk, choice.stable, { tokens: 20, mostTokens: 50, refreshBelow: 0 });
    expect(kept.renewed).toBe(false);
    const given = choiceOf(talk, choice.stable, { tokens: 20, mostTokens: 20, refreshBelow: 0 });
    expect(given.renewed).toBe(true);
    expect(sum(given.stable) + sum(given.fresh)).toBeLessThanOrEqual(20);
  });

  test("is chosen from a bounded number of lines, the latest to go", () => {
    const long = choiceOf(hiddenResults(400), [], { tokens: 40_000, mostTokens: 40_000 });
    expect(long.candidates).toBe(3000);
    expect([...long.stable, ...long.fresh].join("\n")).toContain("name_399_0");
    expect([...long.stable, ...long.fresh].join("\n")).not.toContain("name_0_0");
  });

  test("keeps its stable segment while it is good enough, and not a row of it stands in the other", () => {
    const kept = choiceOf(talk, choice.stable);
    expect(kept.renewed).toBe(false);
    expect(kept.stable).toEqual(choice.stable);
    expect(kept.fresh.filter((row) => choice.stable.includes(row))).toEqual([]);
  });

  test("chooses its stable segment anew when the context shows most of it again", () => {
    const grown = hiddenResults(6);
    grown.says("tool", choice.stable.slice(1).join("\n"));
    const renewed = choiceOf(grown, choice.stable);
    expect(renewed.renewed).toBe(true);
    const shownAgain = [...renewed.stable, ...renewed.fresh].filter((row) => choice.stable.slice(1).includes(row));
    expect(shownAgain).toEqual([]);
  });

  test("holds no row of which less is expected than it must be worth", () => {
    const none = choiceOf(talk, [], { leastNeed: 1 });
    expect([...none.stable, ...none.fresh]).toEqual([]);
    expect(none.score).toBe(0);
  });

  test("holds only lines of 4 to 400 characters that the context does not show", () => {
    const odd = new Conversation();
    const result = odd.calls("look", {}, ["abc", "abcd_efgh", `x_y ${"z".repeat(400)}`, "stands_twice"].join("\n"));
    odd.calls("look", {}, "stands_twice");
    odd.book.hide(result);
    const { stable, fresh } = choiceOf(odd, [], { tokens: 1000 });
    expect([...stable, ...fresh]).toEqual(["abcd_efgh"]);
  });

  test("prefers what the factor prefers", () => {
    const view = new PassView(talk.book);
    const factor = ({ text }: { readonly text: string }) => (text.includes("name_0_") ? 100 : 1);
    const { stable } = chooseLedger({ view, model: MODEL, tokensOf, factor }, LIMITS, []);
    expect(stable.every((row) => row.includes("name_0_"))).toBe(true);
  });
});

describe("the text of a segment", () => {
  test("gives its rows back, whatever they say", () => {
    const rows = ["one row", "</ledger 1>", "<ledger 1> quoted", ""];
    for (const segment of ["stable", "fresh"] as const) {
      expect(rowsOfLedger(ledgerText(segment, rows, "a1b2c3"))).toEqual(rows);
      expect(rowsOfLedger(ledgerText(segment, [], "a1b2c3"))).toEqual([]);
    }
  });
});
