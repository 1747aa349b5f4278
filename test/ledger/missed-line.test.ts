import { describe, expect, test } from "vitest";
import { missedLine } from "../../src/ledger/index.ts";
import { PassView } from "../../src/ledger/pass-view.ts";
import { chooseLedger } from "../../src/ledger/segments.ts";
import { Conversation } from "./conversation.ts";

const LIMITS = { tokens: 30, mostTokens: 30, stableShare: 0.5, refreshBelow: 0.5, leastNeed: 0 };

/** Chooses a ledger by a model that holds every line to be worth that much. */
function chosen(talk: Conversation, need: number) {
  const sources = { view: new PassView(talk.book), model: { score: () => need }, tokensOf: () => 5, factor: () => 1 };
  return chooseLedger(sources, LIMITS, []);
}

const listing = (from: number) =>
  Array.from({ length: 8 }, (_, at) => `entry_${from + at} stands at depth ${4_000 + from + at}`).join("\n");

describe("a line that was missed", () => {
  test("is found in its block by the word, by itself before within another", () => {
    const talk = new Conversation();
    talk.says("user", "the task", true);
    const other = talk.says("user", "budget_ms stands here");
    const id = talk.calls("look", {}, "first\nmy_budget_ms_2 = 1\nuse(budget_ms)\nbudget_ms again");
    expect(missedLine(talk.book, id, "budget_ms")?.line).toBe(3);
    expect(missedLine(talk.book, id, "my_budget")?.line).toBe(2);
    expect(missedLine(talk.book, id, "nowhere")).toBeNull();
    expect(missedLine(talk.book, other, "use(")).toBeNull();
    expect(missedLine(talk.book, "b99", "budget_ms")).toBeNull();
  });

  test("has a number behind lines that were not read", () => {
    const talk = new Conversation();
    const lines = Array.from({ length: 7_000 }, (_, at) => `row_${at} of many`);
    const id = talk.says("user", lines.join("\n"));
    expect(missedLine(talk.book, id, "row_6990")?.line).toBe(6_991);
    expect(missedLine(talk.book, id, "row_3500"), "in the gap").toBeNull();
  });

  test("of a document has an estimate and no number", () => {
    const talk = new Conversation();
    const id = talk.calls("look", {}, JSON.stringify({ name: "deep_value_7", more: ["some other text"] }, null, 1));
    talk.book.hide(id);
    chosen(talk, 0.2);
    expect(missedLine(talk.book, id, "deep_value_7")).toMatchObject({ line: null, estimate: { need: 0.2 } });
  });

  test("is told with what the last choice estimated, and that choice's cut-off", () => {
    const talk = new Conversation();
    talk.says("user", "the task", true);
    const id = talk.calls("look", {}, listing(0));
    const estimate = () => missedLine(talk.book, id, "entry_5")?.estimate;
    expect(estimate(), "nothing was chosen yet").toBeNull();
    talk.book.hide(id);
    const { cutOff } = chosen(talk, 0.25);
    expect(cutOff).toBe(0.25);
    expect(estimate()).toEqual({ need: 0.25, cutOff });
    chosen(talk, 0.125);
    expect(estimate()).toEqual({ need: 0.125, cutOff: 0.125 });
  });

  test("that is too long to be carried over has no estimate", () => {
    const talk = new Conversation();
    const id = talk.calls("look", {}, `short_1 is here\nlong_2 ${"x ".repeat(300)}`);
    talk.book.hide(id);
    chosen(talk, 0.5);
    expect(missedLine(talk.book, id, "short_1")?.estimate).not.toBeNull();
    expect(missedLine(talk.book, id, "long_2")).toEqual({ line: 2, estimate: null });
  });
});
