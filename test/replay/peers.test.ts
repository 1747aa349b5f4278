import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { clearAtHalf, clearAtWindow } from "../../src/replay/peers/clear-results.ts";
import { headTailSliding } from "../../src/replay/peers/head-tail.ts";
import { keepLast } from "../../src/replay/peers/keep-last.ts";
import { plainLru } from "../../src/replay/peers/plain-lru.ts";
import { plainNone } from "../../src/replay/peers/plain-none.ts";
import { publishedHybrid } from "../../src/replay/peers/published-hybrid.ts";
import { CLEARED } from "../../src/replay/peers/results.ts";
import { requestsOf, runOf, step, tokensOf } from "./prepared.ts";

const head = [
  { role: "system", content: "Be careful." },
  { role: "user", content: "Mend the parser." },
];
/** About 100 tokens, and nothing that an agent could refer to. */
const filler = (word: string) => `${word} `.repeat(400 / (word.length + 1)).trim();
const last = { role: "assistant", content: "Done." };
const steps = (count: number, result = filler("text")) =>
  Array.from({ length: count }, (_, n) => step(`call_${n}`, `Step ${n}.`, result)).flat();
const results = ({ context }: { context: { messages: JsonObject[] } }) =>
  context.messages.filter(({ role }) => role === "tool").map(({ content }) => content);
/** Steps that a request still has, by the number in their words. */
const kept = ({ context }: { context: { messages: JsonObject[] } }) =>
  context.messages.flatMap(({ content }) => /^Step (\d+)/.exec(String(content))?.[1] ?? []).map(Number);

describe("plain_none", () => {
  test("sends the whole conversation at each turn", async () => {
    const run = runOf([...head, ...steps(8), last]);
    const requests = await requestsOf(plainNone, run, 100);
    expect(requests.at(-1)?.context.messages).toEqual(run.conversation.messages.slice(0, -1));
    expect(requests.every(({ edits }) => edits === 0)).toBe(true);
  });
});

describe("keep_last_10", () => {
  test("has the last ten units and no more, however large the window", async () => {
    const requests = await requestsOf(keepLast, runOf([...head, ...steps(14), last]), 1_000_000);
    expect(requests.map((request) => kept(request).length)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 10]);
    expect(kept(requests.at(-1) as (typeof requests)[number])).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
  });

  test("has fewer where ten do not fit", async () => {
    const requests = await requestsOf(keepLast, runOf([...head, ...steps(14), last]), 500);
    expect(kept(requests.at(-1) as (typeof requests)[number])).toEqual([10, 11, 12, 13]);
  });
});

describe("clear_results", () => {
  const run = runOf([...head, ...steps(9), last]);

  test("clears all results but the newest three when the window is full, and keeps their calls", async () => {
    const requests = await requestsOf(clearAtWindow, run, 800);
    const first = requests.find(({ edits }) => edits > 0);
    const all = results(first as (typeof requests)[number]);
    expect(all.slice(0, -3).every((content) => content === CLEARED)).toBe(true);
    expect(all.slice(-3)).not.toContain(CLEARED);
    expect(kept(first as (typeof requests)[number])).toHaveLength(all.length);
    expect(tokensOf(run, first as (typeof requests)[number])).toBeLessThan(800);
  });

  test("acts at half of the window where it is told to", async () => {
    const firstEdit = async (contender: typeof clearAtHalf) =>
      (await requestsOf(contender, run, 1000)).findIndex(({ edits }) => edits > 0);
    expect(await firstEdit(clearAtWindow)).toBe(9);
    expect(await firstEdit(clearAtHalf)).toBe(5);
  });

  test("makes no edit that frees less than a tenth of the window", async () => {
    const small = runOf([
      ...head,
      ...steps(9, filler("text").slice(0, 60)),
      ...step("big", "Now.", filler("text")),
      last,
    ]);
    const requests = await requestsOf(clearAtHalf, small, 400);
    const edited = requests.filter(({ edits }) => edits > 0);
    expect(edited.length).toBeGreaterThan(0);
    for (const request of edited) {
      const cleared = results(request).filter((content) => content === CLEARED).length;
      // Each frees about nine tokens.
      expect(cleared).toBeGreaterThanOrEqual(4);
    }
  });
});

describe("head_tail_sliding", () => {
  test("cuts a large result to its first and last lines as it comes, and leaves others alone", async () => {
    const lines = Array.from({ length: 400 }, (_, n) => `line ${n} of a long file`);
    const run = runOf([...head, ...step("big", "Now.", lines.join("\n")), ...steps(1), last]);
    const [, second, third] = await requestsOf(headTailSliding, run, 100_000);
    const [cut] = results(second as NonNullable<typeof second>);
    expect(cut).toMatch(/^line 0 of a long file\nline 1 /);
    expect(cut).toMatch(/line 399 of a long file$/);
    expect(String(cut).length).toBeLessThanOrEqual(4000);
    expect(results(third as NonNullable<typeof third>)).toEqual([cut, filler("text")]);
  });
});

describe("plain_lru", () => {
  test("drops what was not referred to for longest, not what is oldest", async () => {
    const messages = steps(8).map((message) => ({ ...message }) as JsonObject);
    messages[1] = { ...messages[1], content: `${filler("text")} parse_order_4711` };
    messages[12] = { ...messages[12], content: "Step 6. I look at parse_order_4711 again." };
    const requests = await requestsOf(plainLru, runOf([...head, ...messages, last]), 820);
    const first = requests.find(({ edits }) => edits > 0) as (typeof requests)[number];
    expect(kept(first)).toContain(0);
    expect(kept(first)).not.toContain(1);
  });
});

describe("published_hybrid", () => {
  test("drops a large result before a word of the user that is older", async () => {
    const user = { role: "user", content: `Step 0. ${filler("rule")}` };
    const messages = [...head, { role: "assistant", content: "Ready." }, user, ...steps(8), last];
    const requests = await requestsOf(publishedHybrid, runOf(messages), 820);
    const first = requests.find(({ edits }) => edits > 0) as (typeof requests)[number];
    expect(first.context.messages).toContainEqual(user);
    expect(kept(first).length).toBeLessThan(8);
  });
});
