import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chain, diffHistory, type KnownHistory, type LiveMessage } from "../../src/messages/index.ts";

function headOf(digests: readonly string[]): string {
  return digests.reduce(chain, "");
}

function live(...digests: string[]): LiveMessage[] {
  return digests.map((digest) => ({ id: `m-${digest}`, digests: [digest] }));
}

function known(sent: readonly string[], messages: readonly LiveMessage[]): KnownHistory {
  return { sentCount: sent.length, sentChain: headOf(sent), live: messages };
}

/** A history with what contextd did to it: evicted messages are not live, edited ones have a second digest. */
const managed = fc
  .array(fc.record({ evicted: fc.boolean(), edited: fc.boolean() }), { maxLength: 30 })
  .map((messages) => {
    const sent = messages.map((_, index) => `d${index}`);
    const now = messages.flatMap(({ evicted, edited }, index): LiveMessage[] => {
      const id = `m${index}`;
      if (evicted) return [];
      return [{ id, digests: edited ? [`d${index}`, `e${index}`] : [`d${index}`] }];
    });
    return { sent, now };
  });

const added = fc.nat({ max: 5 }).map((count) => Array.from({ length: count }, (_, index) => `n${index}`));

describe("a full history", () => {
  it("that only grew is new from where it grew, whatever was evicted", () => {
    fc.assert(
      fc.property(managed, added, ({ sent, now }, fresh) => {
        expect(diffHistory(known(sent, now), [...sent, ...fresh])).toEqual({
          kind: "appended",
          newFrom: sent.length,
          removed: [],
          unmatched: [],
        });
      }),
    );
  });

  it("that only grew is recognised without the digests of what is managed now", () => {
    const state: KnownHistory = {
      sentCount: 1,
      sentChain: headOf(["a"]),
      get live(): LiveMessage[] {
        throw new Error("read");
      },
    };
    expect(diffHistory(state, ["a", "b"])).toEqual({ kind: "appended", newFrom: 1, removed: [], unmatched: [] });
    expect(() => diffHistory(state, ["b"])).toThrow("read");
  });

  it("that is the managed list and more was adopted", () => {
    fc.assert(
      fc.property(managed, added, ({ sent, now }, fresh) => {
        fc.pre(now.length > 0 && now.length < sent.length);
        const taken = now.map((message) => message.digests.at(-1) as string);
        expect(diffHistory(known(sent, now), [...taken, ...fresh])).toEqual({
          kind: "adopted",
          newFrom: taken.length,
          removed: [],
          unmatched: [],
        });
      }),
    );
  });

  it("may be adopted without the messages that the agent does not hold", () => {
    const system: LiveMessage = { id: "s", digests: ["s"], kept: true };
    const ledger: LiveMessage = { id: "l", digests: ["l"], kept: true };
    const state = known(["a", "b", "c"], [system, ...live("a"), ledger, ...live("c")]);
    expect(diffHistory(state, ["a", "c", "n"])).toEqual({ kind: "adopted", newFrom: 2, removed: [], unmatched: [] });
    expect(diffHistory(state, ["s", "a", "l", "c", "n"])).toEqual({
      kind: "adopted",
      newFrom: 4,
      removed: [],
      unmatched: [],
    });
  });

  it("from which the agent dropped messages names those that were live, as a plain model does", () => {
    fc.assert(
      fc.property(managed, added, fc.infiniteStream(fc.boolean()), ({ sent, now }, fresh, coins) => {
        const held = sent.filter(() => coins.next().value === true);
        const incoming = [...held, ...fresh];
        const diff = diffHistory(known(sent, now), incoming);
        fc.pre(diff.kind === "diverged");
        // The model: digests are unique, so a live message is there or not, and what follows the last is new.
        const isHeld = (message: LiveMessage): boolean => message.digests.some((digest) => held.includes(digest));
        const lastHeld = now.filter(isHeld).at(-1);
        const newFrom = lastHeld === undefined ? 0 : incoming.indexOf(lastHeld.digests[0] as string) + 1;
        const removed = now.filter((message) => !isHeld(message)).map((message) => message.id);
        const isLive = (digest: string): boolean => now.some((message) => message.digests.includes(digest));
        const unmatched = [...incoming.keys()].filter((at) => at < newFrom && !isLive(incoming[at] as string));
        expect(diff).toEqual({ kind: "diverged", newFrom, removed, unmatched });
      }),
      { numRuns: 500 },
    );
  });

  it("in which nothing is known replaces everything but what is kept", () => {
    const system: LiveMessage = { id: "s", digests: ["s"], kept: true };
    const diff = diffHistory(known(["s", "a", "b"], [system, ...live("a", "b")]), ["x", "y"]);
    expect(diff).toEqual({ kind: "diverged", newFrom: 0, removed: ["m-a", "m-b"], unmatched: [] });
  });

  it("that was rolled back loses the messages behind the point it was rolled back to", () => {
    const diff = diffHistory(known(["a", "b", "c", "d"], live("a", "b", "c", "d")), ["a", "b", "x"]);
    expect(diff).toEqual({ kind: "diverged", newFrom: 2, removed: ["m-c", "m-d"], unmatched: [] });
  });

  it("keeps its alignment when one message occurs many times", () => {
    const messages: LiveMessage[] = ["ok", "b", "ok", "c", "ok", "d"].map((digest, index) => ({
      id: `${index}`,
      digests: [digest],
    }));
    const sent = messages.map((message) => message.digests[0] as string);
    const diff = diffHistory(known(sent, messages), ["b", "ok", "c", "ok", "d", "n"]);
    expect(diff).toEqual({ kind: "diverged", newFrom: 5, removed: ["0"], unmatched: [] });
  });

  it("keeps its alignment when an evicted message is like a later one", () => {
    const diff = diffHistory(known(["gone"], live("a", "b", "c", "ok")), ["ok", "a", "b", "c", "ok", "n"]);
    expect(diff).toEqual({ kind: "diverged", newFrom: 5, removed: [], unmatched: [0] });
  });

  it("is aligned in order whatever repeats: matches, new and removed add up", () => {
    const digest = fc.constantFrom("a", "b", "c", "d");
    fc.assert(
      fc.property(fc.array(digest, { maxLength: 20 }), fc.array(digest, { maxLength: 20 }), (now, incoming) => {
        const messages = now.map((each, index): LiveMessage => ({ id: `${index}`, digests: [each] }));
        const diff = diffHistory({ sentCount: 1, sentChain: "unlike any", live: messages }, incoming);
        if (diff.kind !== "diverged") return;
        const removed = new Set(diff.removed);
        const kept = messages.filter((message) => !removed.has(message.id)).map((message) => message.digests[0]);
        // The kept live messages are a subsequence of what is not new, and end where the new begins.
        let next = 0;
        for (const each of incoming.slice(0, diff.newFrom)) if (each === kept[next]) next += 1;
        expect(next).toBe(kept.length);
        if (kept.length > 0) expect(incoming[diff.newFrom - 1]).toBe(kept.at(-1));
        else expect(diff.newFrom).toBe(0);
      }),
      { numRuns: 2000 },
    );
  });

  it("of many repeats is aligned in linear time", () => {
    const count = 20_000;
    const sides = [0, 1].map((shift) => Array.from({ length: count }, (_, index) => `d${(index * 7 + shift) % 3}`));
    const messages = (sides[0] as string[]).map(
      (digest, index): LiveMessage => ({ id: `${index}`, digests: [digest] }),
    );
    const started = performance.now();
    const diff = diffHistory({ sentCount: 1, sentChain: "unlike any", live: messages }, sides[1] as string[]);
    expect(diff.kind).toBe("diverged");
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
