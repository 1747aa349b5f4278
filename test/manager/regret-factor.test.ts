import { describe, expect, it } from "vitest";
import type { Book } from "../../src/ledger/index.ts";
import { BookKeeper } from "../../src/manager/book-keeper.ts";
import { regretFactor } from "../../src/manager/regret-factor.ts";
import { messageFormats } from "../../src/messages/index.ts";
import type { BlockType } from "../../src/model/block.ts";
import type { Part } from "../../src/model/part.ts";
import { initialRegret, noteDeparture, noteRegret, type RegretState } from "../../src/regret/index.ts";
import { departure } from "../support/departures.ts";

const WORD = "The first thing that is said.";
const CALL = "src/search_me.ts";
const FOUND = "found: value_of_search = 71";
const READ = "const value_of_read = 72;";

/** A message, two calls with their results, each of one line. */
function book(): Book {
  const keeper = new BookKeeper();
  const { openai } = messageFormats;
  let blocks = 0;
  const read = (unitId: number, type: BlockType, parts: readonly Part[]) => {
    for (const part of parts) keeper.read(`b${++blocks}`, { unitId, type }, part, part);
  };
  read(1, "user_message", openai.compose("user", WORD).parts);
  for (const [unit, name, path, content] of [
    [2, "search", CALL, FOUND],
    [3, "read", "src/other.ts", READ],
  ] as const) {
    const call: Part = { kind: "tool_call", callId: name, name, argumentsText: JSON.stringify({ path }), wire: {} };
    read(unit, "assistant_response", [call]);
    read(unit, "tool_result", [
      { kind: "tool_result", callId: name, text: content, isError: false, attachments: [], wire: {} },
    ]);
  }
  keeper.flush();
  return keeper.book;
}

/** Twenty blocks of each tool have left, of which so many of each were needed again. */
function regret(needed: Readonly<Record<string, number>>, type: BlockType = "tool_result"): RegretState {
  const state = initialRegret();
  for (const [toolName, count] of Object.entries(needed)) {
    for (let at = 0; at < 20; at++) {
      const blockId = `${toolName}${at}`;
      noteDeparture(state, departure(blockId, { toolName, type }), true);
      const block = { id: blockId, type, toolName };
      if (at < count) noteRegret(state, block, { kind: "identifier", turn: 2, evictedTurn: 1 });
    }
  }
  return state;
}

function factors({ tally }: RegretState): Record<string, number> {
  const known = book();
  const factor = regretFactor(known, tally);
  const of = (text: string) => {
    const line = known.vocabulary.find(text);
    if (!line) throw new Error(`the book does not hold ${text}`);
    return factor(line);
  };
  const argument = known.entries.find(({ role }) => role === "assistant")?.lines.at(-1);
  return { word: of(WORD), argument: argument ? factor(argument) : 0, found: of(FOUND), read: of(READ) };
}

describe("the factor of a line", () => {
  it("is 1 while nothing was regretted, however much has left", () => {
    expect(factors(regret({ search: 0, read: 0 }))).toEqual({ word: 1, argument: 1, found: 1, read: 1 });
  });

  it("is raised to at most 2 for lines of a tool whose results are needed again", () => {
    const { found = 0, argument, read, word } = factors(regret({ search: 18, read: 0 }));
    expect(found).toBeGreaterThan(1.3);
    expect(found).toBeLessThanOrEqual(2);
    expect({ word, argument, read }).toEqual({ word: 1, argument: 1, read: 1 });
  });

  it("tells the arguments of a tool's calls from its results", () => {
    const { argument, found } = factors(regret({ search: 18, read: 0 }, "assistant_response"));
    expect(argument).toBeGreaterThan(1.3);
    expect(found).toBe(1);
  });

  it("lowers no line: what the ledger carries is used without regret", () => {
    const { found, read = 0 } = factors(regret({ search: 0, read: 20 }));
    expect(found).toBe(1);
    expect(read).toBeGreaterThan(1);
  });
});
