import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toSnapshot } from "../../src/manager/snapshot.ts";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { anyRun } from "../support/agent-run.ts";
import { TestManager } from "../support/manager.ts";
import { seenOf } from "../support/seen-session.ts";
import { SimulatedAgent } from "../support/simulated-agent.ts";

/** Keeps every row and no snapshot: a session is read back from its first row on. */
class NoSnapshots extends MemoryJournal {
  override append(request: AppendRequest) {
    return super.append({ ...request, snapshot: null });
  }
}

describe("a session read back from the journal", () => {
  for (const [name, journal, snapshotEvery] of [
    ["with a snapshot now and then", () => new MemoryJournal(), 5],
    ["with a snapshot of every row", () => new MemoryJournal(), 1],
    ["without any snapshot", () => new NoSnapshots(), 5],
  ] as const) {
    it(`is the session that was in memory, ${name}`, async () => {
      await fc.assert(
        fc.asyncProperty(anyRun(20), fc.boolean(), fc.boolean(), async (run, pauses, rests) => {
          const agent = new SimulatedAgent(
            new TestManager({ checkReplies: false, journal: journal(), snapshotEvery }),
            run.setup,
          );
          await agent.open();
          for (const step of run.steps) {
            await agent.take(step);
            // Blocks are read between calls, where there is time between them: it must not matter.
            if (pauses) await nextTurn();
            if (rests) agent.host.rest(agent.id);
            if (agent.host.holds(agent.id))
              expect(seenOf(await agent.host.session(agent.id))).toEqual(seenOf(agent.host.live(agent.id)));
          }
          await agent.host.manager.stop();
        }),
        { numRuns: 30 },
      );
    });
  }

  it("can be read back as it was after any earlier row", async () => {
    await fc.assert(
      fc.asyncProperty(anyRun(12), fc.constantFrom(3, 1000), async (run, snapshotEvery) => {
        const agent = new SimulatedAgent(new TestManager({ checkReplies: false, snapshotEvery }), run.setup);
        await agent.open();
        const states = new Map<number, ReturnType<typeof seenOf>>();
        for (const step of run.steps) {
          if (step.kind === "restart") continue;
          await agent.take(step);
          if (!agent.host.holds(agent.id)) continue;
          const live = agent.host.live(agent.id);
          states.set(live.position, seenOf(live));
        }
        for (const [position, state] of states) {
          expect(seenOf(await agent.host.session(agent.id, position)), `row ${position}`).toEqual(state);
        }
        await agent.host.manager.stop();
      }),
      { numRuns: 30 },
    );
  });

  it("would differ if a row were not applied (control)", async () => {
    const host = new TestManager();
    await host.call("session.open", { session_id: "s", system: "Be careful." });
    await host.call("context.append", { session_id: "s", text: "The user likes tea." });
    expect(seenOf(await host.session("s", 1))).not.toEqual(seenOf(host.live("s")));
    await host.manager.stop();
  });

  it("says the same in its own snapshot", async () => {
    const host = new TestManager();
    await host.call("session.open", { session_id: "s", system: "Be careful." });
    await host.call("on_turn_start", { session_id: "s", messages: [{ role: "user", content: "Hello." }] });
    expect(toSnapshot(await host.session("s"))).toBe(toSnapshot(host.live("s")));
    await host.manager.stop();
  });
});
