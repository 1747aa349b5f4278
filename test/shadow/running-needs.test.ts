import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { messageFormats, type SplitMessage } from "../../src/messages/index.ts";
import { readBackgroundVocabulary } from "../../src/replay/background-vocabulary.ts";
import { findNeeds, type RunNeeds } from "../../src/replay/needs.ts";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";
import { RunningNeeds } from "../../src/shadow/running-needs.ts";

const RUNS = fileURLToPath(new URL("../fixtures/replay/runs/", import.meta.url));
const TRANSCRIPTS = fileURLToPath(new URL("../../../shared/transcripts/", import.meta.url));
const background = readBackgroundVocabulary();

function messagesOf(path: string): SplitMessage[] {
  const run = parseRun(readFileSync(path, "utf8"), path);
  return conversationIn(run, "openai").messages.map((message) => messageFormats.openai.split(message, "message"));
}

interface Found {
  readonly value: string;
  readonly kind: string;
  readonly weight: number;
  readonly holders: number;
  readonly lastHeldBy: number | undefined;
}

/** The needs of each turn, found while the run goes on. */
function running(messages: readonly SplitMessage[]): Map<number, Found[]> {
  const needs = new RunningNeeds(background);
  const byTurn = new Map<number, Found[]>();
  for (const [place, message] of messages.entries()) {
    const found = needs.add(message);
    if (!found?.length) continue;
    const rows = found.map(({ value, kind, weight, earlier }) => ({
      value,
      kind,
      weight,
      holders: earlier.length,
      lastHeldBy: earlier.at(-1),
    }));
    byTurn.set(place, rows);
  }
  return byTurn;
}

function finished({ byTurn }: RunNeeds): Map<number, Found[]> {
  return new Map(
    [...byTurn].map(([turn, needs]) => [
      turn,
      needs.map(({ value, kind, weight, holders, lastHeldBy }) => ({ value, kind, weight, holders, lastHeldBy })),
    ]),
  );
}

describe("the needs of a run that goes on", () => {
  test.each(readdirSync(RUNS))("are at each turn of %s those of the run that ends there", (name) => {
    const messages = messagesOf(`${RUNS}${name}`);
    const found = running(messages);
    expect(found.size).toBeGreaterThan(0);
    for (const [place, { role }] of messages.entries()) {
      if (role !== "assistant") continue;
      const ended = finished(findNeeds(messages.slice(0, place + 1), background));
      expect(found.get(place), `turn at ${place}`).toEqual(ended.get(place));
    }
  });

  test("stand on the lines that hold them", () => {
    const messages = messagesOf(`${RUNS}long-run.jsonl`);
    const needs = new RunningNeeds(background);
    let held = 0;
    for (const [place, message] of messages.entries()) {
      const before = needs.lines.texts.length;
      for (const { value, lines } of needs.add(message) ?? []) {
        const whole = findNeeds(messages.slice(0, place + 1), background);
        const index = whole.values.indexOf(value);
        const expected = [...whole.onLine].filter(([, values]) => values.includes(index)).map(([line]) => line);
        expect(lines.map((line) => needs.lines.keys[line]).sort()).toEqual(expected.sort());
        held += lines.filter((line) => line < before).length;
      }
    }
    expect(held).toBeGreaterThan(20);
  });

  test("leave out what is pinned, a tool's name, what stands in the latest step, and parts of longer ones", () => {
    const text = (role: SplitMessage["role"], ...lines: string[]): SplitMessage => ({
      role,
      envelope: {},
      parts: [{ kind: "text", text: lines.join("\n"), wire: "" }],
    });
    const call: SplitMessage = {
      role: "assistant",
      envelope: {},
      parts: [{ kind: "tool_call", callId: "c", name: "query_rows", argumentsText: "{}", wire: null }],
    };
    const needs = new RunningNeeds(new Set(["setUp_known"]));
    needs.add(text("system", "Work in src/pinned.ts."));
    needs.add(text("user", "Find the ticket AB-1234."));
    needs.add(call);
    needs.add(text("tool", "src/found/here.ts is it", "query_rows and setUp_known", "src/pinned.ts"));
    needs.add(text("assistant", "Next."));
    needs.add(text("tool", "lateArrival stands here"));
    const found = needs.add(
      text("assistant", "src/found/here.ts, here.ts, query_rows, setUp_known, lateArrival, AB-1234, src/pinned.ts"),
    );
    expect(found?.map(({ value }) => value)).toEqual(["src/found/here.ts"]);
  });

  // The recorded runs are no part of the repository: where they lie beside it, each is held against its own end.
  if (existsSync(TRANSCRIPTS)) {
    test(
      "of every recorded run beside the repository differ from those at its end by later tools alone",
      agreesAtTheEnd,
      300_000,
    );
  }
});

function agreesAtTheEnd(): void {
  const names = readdirSync(TRANSCRIPTS).filter((name) => name.endsWith(".jsonl"));
  let equal = 0;
  for (const name of names) {
    const messages = messagesOf(`${TRANSCRIPTS}${name}`);
    const atTheEnd = finished(findNeeds(messages, background));
    const found = running(messages);
    const tools = new Set(
      messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "tool_call" ? [part.name] : []))),
    );
    for (const [turn, needs] of found) {
      const all = new Set(atTheEnd.get(turn)?.map(({ value }) => value));
      const more = needs.filter(({ value }) => !all.has(value) && !tools.has(value));
      expect(more, `${name} at ${turn}`).toEqual([]);
      equal += needs.length - more.length;
    }
  }
  expect(equal).toBeGreaterThan(1000);
}
