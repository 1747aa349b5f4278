import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/model/json.ts";
import { openJournal } from "../../../src/store/index.ts";
import type { Journal } from "../../../src/store/journal.ts";
import { MemoryJournal } from "../../../src/store/memory/memory-journal.ts";
import { readCheckpoint } from "../../../src/window/checkpoint/index.ts";
import type { TestManager } from "../../support/manager.ts";
import { storeFolder } from "../../support/store-folder.ts";
import { documentOf, own, TASK, WINDOW_BY_WINDOW, workedSession, workStep } from "../../support/windowed-session.ts";
import { prose, wire } from "../../support/wire-messages.ts";

const SMALL = { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } as const;
const STEPS = 24;

/** A session of several windows, closed. */
async function closedAfterWindows(journal: Journal): Promise<TestManager> {
  const host = await workedSession({ open: SMALL, manager: { journal, snapshotEvery: 5 } });
  for (let step = 0; step < STEPS; step++) await workStep(host, step, 700);
  await host.call("note.write", { ...own, text: "Mind the tabs." });
  await host.call("session.close", own);
  return host;
}

describe("the export of a session of several windows", () => {
  it("has each message once, as it was sent, and none of contextd's own", async () => {
    const host = await closedAfterWindows(new MemoryJournal());
    const { messages, total_messages } = await host.call("session.export", { ...own, limit: 1000 });
    const sent: JsonObject[] = [{ role: "system", content: "Be careful." }, wire.openai.user(TASK.goal)];
    for (let step = 0; step < STEPS; step++) {
      const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
      sent.push(wire.openai.answer("I look.", [call]));
      sent.push(...wire.openai.results([{ id: call.id, content: prose(700, `step ${step}`) }]));
    }
    expect(messages).toEqual(sent);
    expect(total_messages).toBe(sent.length);
  });
});

describe("a closed session that was pruned", () => {
  for (const [name, open] of [
    ["memory", async () => new MemoryJournal() as Journal],
    ["sqlite", () => openJournal({ kind: "sqlite", path: storeFolder() })],
  ] as const) {
    it(`still gives all its checkpoints that it lists, from ${name}`, async () => {
      const journal = await open();
      try {
        const host = await closedAfterWindows(journal);
        const { checkpoints } = await host.call("checkpoint.list", own);
        expect(checkpoints.length).toBeGreaterThan(3);
        const last = await documentOf(host);
        const report = await journal.prune({ closedBefore: host.clock.now() + 1 });
        expect(report.rows).toBeGreaterThan(50);
        expect(report.contents).toBeGreaterThan(0);

        const next = await host.restarted();
        expect((await next.call("checkpoint.list", own)).checkpoints).toEqual(checkpoints);
        for (const { checkpoint_id } of checkpoints) {
          const document = await documentOf(next, { ...own, checkpoint_id });
          expect(readCheckpoint(document)).toEqual({ document });
        }
        expect(await documentOf(next)).toEqual(last);
        const later = { session_id: "later" };
        await next.call("session.open", { ...later, task: TASK });
        const { bootstrap } = await next.call("checkpoint.load", { ...later, from_session: "s" });
        expect(bootstrap?.prompt).toContain("Mind the tabs.");
        expect((await journal.verify({ tenant: "acme", id: "s" })).brokenAt).toBeNull();
        await next.manager.stop();
      } finally {
        await journal.close();
      }
    });
  }
});
