import { describe, expect, test } from "vitest";
import { NO_PLUGINS } from "../../src/config/index.ts";
import { oracleLedger } from "../../src/replay/bounds/oracle-ledger.ts";
import { oracleUnits } from "../../src/replay/bounds/oracle-units.ts";
import { Replayer } from "../../src/replay/replay.ts";
import { configWith } from "../config/config-with.ts";
import { LONG_RUN, requestsOf, runOf, step } from "./prepared.ts";

async function figuresOf(policies: readonly string[], window = "6k") {
  const options = { policies, windows: [window], count: "chars", model: null, format: null } as const;
  const { replayed } = await new Replayer(options, { config: configWith(), plugins: NO_PLUGINS }).replay(
    LONG_RUN,
    "run",
  );
  return Object.fromEntries(replayed.map((one) => [one.policy, one]));
}

describe("a bound", () => {
  test("that chooses units or results by the future keeps more than one that goes by age, at about its cost", async () => {
    const {
      plain_fifo: fifo,
      oracle_units: units,
      oracle_results: results,
    } = await figuresOf(["plain_fifo", "oracle_units", "oracle_results"]);
    expect(units?.figures.line ?? 0).toBeGreaterThan((fifo?.figures.line ?? 1) + 0.1);
    expect(results?.figures.line ?? 0).toBeGreaterThan((fifo?.figures.line ?? 1) + 0.05);
    expect(units?.figures.cost ?? 2).toBeLessThan((fifo?.figures.cost ?? 0) + 0.1);
  });

  test("with a ledger of the lines to come loses nothing", async () => {
    const { oracle_ledger: ledger } = await figuresOf(["oracle_ledger"]);
    expect(ledger?.figures.line).toBeCloseTo(1, 12);
    expect(ledger?.figures.regret.needs).toBe(0);
  });

  test("oracle is the best of them, and of equals the cheapest, by name", async () => {
    const all = await figuresOf(["oracle", "oracle_units", "oracle_results", "oracle_ledger"]);
    const { oracle, ...variants } = all;
    const best = Math.max(...Object.values(variants).map(({ figures }) => figures.line ?? 0));
    expect(oracle?.figures.line).toBe(best);
    expect(oracle?.figures).toEqual(variants[oracle?.variant ?? ""]?.figures);
    expect(variants["oracle_units"]?.variant).toBeNull();
  });
});

const head = [
  { role: "system", content: "Be careful." },
  { role: "user", content: "Mend the parser." },
];
const filler = "word ".repeat(80).trim();
const ask = (text: string) => ({ role: "assistant", content: text });

describe("oracle_units", () => {
  test("keeps the unit whose value is asked for later, though it is the oldest", async () => {
    const run = runOf([
      ...head,
      ...step("a", "One.", `${filler}\nkeep_this_4711`),
      ...[..."bcdefgh"].flatMap((id) => step(id, `Now ${id}.`, filler)),
      ask("It is keep_this_4711."),
    ]);
    const last = (await requestsOf(oracleUnits, run, 700)).at(-1);
    expect(JSON.stringify(last?.context)).toContain("keep_this_4711");
    expect(last?.context.messages.length).toBeLessThan(14);
  });
});

describe("oracle_ledger", () => {
  test("carries over the line that will be needed and none that will not", async () => {
    const run = runOf([
      ...head,
      ...step("a", "One.", `${filler}\n  keep_this_4711 = 1\nnot_needed_4712 = 2`),
      ...[..."bcdefgh"].flatMap((id) => step(id, `Now ${id}.`, filler)),
      ask("It is keep_this_4711."),
    ]);
    const last = (await requestsOf(oracleLedger, run, 700)).at(-1);
    const ledger = String(last?.context.messages[2]?.["content"]);
    expect(last?.context.messages[2]?.["role"]).toBe("user");
    expect(ledger.split("\n")).toContain("keep_this_4711 = 1");
    expect(JSON.stringify(last?.context)).not.toContain("not_needed_4712");
  });
});
