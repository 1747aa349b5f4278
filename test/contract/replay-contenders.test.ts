import { describe, expect, test } from "vitest";
import { messageFormats } from "../../src/messages/index.ts";
import { MESSAGE_FORMATS } from "../../src/model/message.ts";
import { bounds } from "../../src/replay/bounds/index.ts";
import type { Contender } from "../../src/replay/contender.ts";
import { peers } from "../../src/replay/peers/index.ts";
import { LONG_RUN, prepared, requestsOf, tokensOf } from "../replay/prepared.ts";

const WINDOW = 6000;
const single = bounds.filter((bound): bound is Contender => "play" in bound);
/** They send everything. */
const UNBOUNDED = new Set(["plain_none"]);

describe.each([...peers, ...single].map((contender) => [contender.name, contender] as const))(
  "%s",
  (name, contender) => {
    test.each(MESSAGE_FORMATS)(
      "hands out %s contexts that are valid, keep what is pinned and fit the window",
      async (format) => {
        const run = prepared(LONG_RUN, format);
        const requests = await requestsOf(contender, run, WINDOW);
        expect(requests).toHaveLength(run.needs.turns.length);
        const pinned = run.conversation.messages.slice(0, format === "openai" ? 2 : 1);
        for (const request of requests) {
          const { context, ids } = request;
          expect(messageFormats[format].check(context)).toEqual([]);
          expect(context.messages.slice(0, pinned.length)).toEqual(pinned);
          expect(context.system).toEqual(run.conversation.system);
          expect(ids).toHaveLength(context.messages.length);
          expect(new Set(ids).size).toBe(ids.length);
          if (!UNBOUNDED.has(name)) expect(tokensOf(run, request)).toBeLessThanOrEqual(WINDOW);
        }
      },
    );

    test("ends every request with the step under way", async () => {
      const run = prepared(LONG_RUN);
      const { messages } = run.conversation;
      const requests = await requestsOf(contender, run, WINDOW);
      for (const [turn, { context }] of requests.entries()) {
        const end = run.needs.turns[turn] as number;
        const roles = messages.slice(run.needs.turns[turn - 1] ?? 0, end).map(({ role }) => role);
        expect(context.messages.slice(-roles.length).map(({ role }) => role)).toEqual(roles);
      }
    });

    test("makes the same requests each time: it remembers nothing of another replay", async () => {
      const run = prepared(LONG_RUN);
      const first = await requestsOf(contender, run, WINDOW);
      await requestsOf(contender, run, 2 * WINDOW);
      expect(await requestsOf(contender, run, WINDOW)).toEqual(first);
    });
  },
);

test("no two contenders have one name", () => {
  const names = [...peers, ...bounds].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
