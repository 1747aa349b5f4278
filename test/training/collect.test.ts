import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { FEATURES } from "../../src/ledger/index.ts";
import { messageTokens } from "../../src/replay/counting.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";
import { collectRows } from "../../src/training/collect.ts";
import { foldOf } from "../../src/training/folds.ts";
import { RowTable } from "../../src/training/row-table.ts";
import { TRAINING_SETTINGS } from "../../src/training/settings.ts";
import { readRuns } from "../../src/training/training-run.ts";

const LONG_RUN = readFileSync(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url), "utf8");
const OPTIONS = {
  format: "openai",
  background: new Set<string>(),
  tokensOf: (format: "openai" | "anthropic") =>
    messageTokens("chars", format, { counter: new TokenCounter({ workerUrl: null }), catalogue: new ModelCatalogue() }),
} as const;
const SETTINGS = { ...TRAINING_SETTINGS.collect, windows: [0.3], zero_share: 1 };

function rowsOf(text: string, settings = SETTINGS): RowTable {
  const [run] = readRuns([{ name: "run", text }], OPTIONS);
  const table = new RowTable(FEATURES.length);
  if (run) collectRows(run, 0, settings, table);
  return table;
}

const featuresOf = (table: RowTable, row: number) => FEATURES.map((_, at) => table.feature(row, at));
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

/** A run about nothing but where its values stand: turns of one call each, whose results hold the given lines. */
function runOf(turns: readonly { readonly says: string; readonly result: string }[]): string {
  const messages: object[] = [
    { id: "made", family: "made", task: "made" },
    { role: "system", content: "You are an agent." },
    { role: "user", content: "Do it." },
  ];
  for (const [turn, { says, result }] of turns.entries()) {
    const call = { id: `c${turn}`, type: "function", function: { name: "look", arguments: "{}" } };
    messages.push({ role: "assistant", content: says, tool_calls: [call] });
    messages.push({ role: "tool", tool_call_id: `c${turn}`, content: result });
  }
  return messages.map((message) => JSON.stringify(message)).join("\n");
}

describe("the rows of a run", () => {
  const rows = rowsOf(LONG_RUN);

  test("are there, some with needs, and are the same each time", () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.positive).toBeGreaterThan(5);
    expect(rows.positive).toBeLessThan(rows.length);
    const again = rowsOf(LONG_RUN);
    expect(again.needs).toEqual(rows.needs);
    expect(again.weights).toEqual(rows.weights);
  });

  test("see nothing of what comes later: a run that ends earlier has the same features up to there", () => {
    const lines = LONG_RUN.trimEnd().split("\n");
    const whole = rowsOf(LONG_RUN, { ...SETTINGS, windows: [0.2] });
    const messages = Math.floor(lines.length * 0.6);
    const early = lines.slice(0, messages).join("\n");
    const [run] = readRuns([{ name: "run", text: LONG_RUN }], OPTIONS);
    const [shorter] = readRuns([{ name: "run", text: early }], OPTIONS);
    // The same window in tokens, as a share of the shorter run.
    const share = Math.floor(0.2 * (run?.prepared.tokens ?? 0)) / (shorter?.prepared.tokens ?? 1) + 1e-9;
    const cut = rowsOf(early, { ...SETTINGS, windows: [share] });
    expect(cut.length).toBeGreaterThan(100);
    expect(cut.length).toBeLessThan(whole.length);
    for (let row = 0; row < cut.length; row++) expect(featuresOf(cut, row)).toEqual(featuresOf(whole, row));
  });

  test("without a need are drawn, and count for those that are left out", () => {
    const drawn = rowsOf(LONG_RUN, { ...SETTINGS, zero_share: 0.3 });
    expect(drawn.positive).toBe(rows.positive);
    expect(drawn.length).toBeLessThan(rows.length);
    expect(sum(drawn.weights) / sum(rows.weights)).toBeGreaterThan(0.8);
    expect(sum(drawn.weights) / sum(rows.weights)).toBeLessThan(1.2);
  });

  test("tell what was needed again while only the evicted line had it, and how rare it was", () => {
    const filler = (turn: number) =>
      Array.from({ length: 12 }, (_, at) => `words of turn ${turn} line ${at}`).join("\n");
    const turns = Array.from({ length: 30 }, (_, turn) => ({ says: `Step ${turn}.`, result: filler(turn) }));
    turns[1] = { says: "Step 1.", result: `first_value is here\n${filler(1)}\nnever_used is here` };
    turns[20] = { says: "Now first_value.", result: filler(20) };
    const settings = { ...SETTINGS, least_window_of_short_run: 100, windows: [0.3] };
    const table = rowsOf(runOf(turns), settings);
    const needs = table.needs.filter((need) => need > 0);
    // One eviction has the use before the next; the value stood in one message: its line is worth 1.
    expect(needs).toEqual([1]);
  });
});

describe("folds", () => {
  const record = (family: string, task: string, words: string) =>
    [
      { id: words, family, task },
      { role: "user", content: `Do ${words}.` },
      { role: "assistant", content: "Done." },
    ]
      .map((line) => JSON.stringify(line))
      .join("\n");
  const texts = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"].flatMap((task, at) =>
    [1, 2].map((attempt) => ({
      name: `${task}${attempt}`,
      text: record(at % 2 === 0 ? "even" : "odd", task, `${task}${attempt}`),
    })),
  );
  const runs = readRuns(texts, OPTIONS);

  test("hold all runs of a task, and several tasks are spread over several folds", () => {
    const folds = new Map<string, Set<string>>();
    for (const run of runs) folds.set(run.task, (folds.get(run.task) ?? new Set()).add(foldOf(run, "task")));
    expect(folds.size).toBe(10);
    for (const own of folds.values()) expect(own.size).toBe(1);
    expect(new Set(runs.map((run) => foldOf(run, "task"))).size).toBeGreaterThan(2);
  });

  test("by family are the families", () => {
    expect(new Set(runs.map((run) => foldOf(run, "family")))).toEqual(new Set(["even", "odd"]));
  });

  test("do not depend on the order of the runs, nor on one that is given twice", () => {
    const shuffled = readRuns([...texts].reverse().concat(texts[0] ?? []), OPTIONS);
    expect(shuffled.map(({ digest }) => digest)).toEqual(runs.map(({ digest }) => digest));
  });

  test("of a family whose records all name one task go by the prompt", () => {
    const same = ["p", "q"].map((words) => ({ name: words, text: record("one", "the same", words) }));
    const tasks = readRuns(same, OPTIONS).map(({ task }) => task);
    expect(new Set(tasks).size).toBe(2);
  });
});
