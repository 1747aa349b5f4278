import { describe, expect, it } from "vitest";
import type { AppendRequest } from "../../../src/store/journal.ts";
import { MemoryJournal } from "../../../src/store/memory/memory-journal.ts";
import { refused, type TestManager } from "../../support/manager.ts";
import { seenOf } from "../../support/seen-session.ts";
import { documentOf, own, TASK, WINDOW_BY_WINDOW, workedSession, workStep } from "../../support/windowed-session.ts";
import { wire } from "../../support/wire-messages.ts";

/** Keeps every row and no snapshot: a session is read back from its first row on. */
class NoSnapshots extends MemoryJournal {
  override append(request: AppendRequest) {
    return super.append({ ...request, snapshot: null });
  }
}

/** More than a quarter of the blocks that these sessions hold. */
const ROWS_TO_A_SNAPSHOT = 12;

const JOURNALS = [
  ["a snapshot as soon as it pays", () => ({ journal: new MemoryJournal(), snapshotEvery: 1 })],
  ["a snapshot and the rows after it", () => ({ journal: new MemoryJournal(), snapshotEvery: 5 })],
  ["its rows alone", () => ({ journal: new NoSnapshots(), snapshotEvery: 5 })],
] as const;

const SMALL = { max_context_tokens: 8000, settings: WINDOW_BY_WINDOW } as const;

/** Each of them leaves the session in a state that a restart must find again. */
const STORIES: Readonly<Record<string, (host: TestManager) => Promise<unknown>>> = {
  "checkpoint.save": (host) => host.call("checkpoint.save", own),
  "window.open": (host) => host.call("window.open", own),
  "a window that is full": async (host) => {
    for (let step = 20; step < 40; step++) await workStep(host, step, 700);
    expect(host.live("s").windowNumber).toBeGreaterThan(2);
  },
  on_overflow: async (host) => {
    for (let attempt = 0; attempt < 4; attempt++) {
      await host.call("on_overflow", {
        ...own,
        provider_error: "Prompt length of 9000 is longer than the maximum model length of 7000.",
      });
    }
  },
  "an answer that was cut": (host) =>
    host.call("on_turn_end", {
      ...own,
      message: wire.openai.answer("I was"),
      stop_reason: "model_context_window_exceeded",
      usage: { input_tokens: 5000, output_tokens: 500 },
    }),
  "checkpoint.load": async (host) => {
    await host.call("session.open", { session_id: "more", task: TASK });
    await host.call("note.write", { session_id: "more", text: "Mind the tabs." });
    await host.call("note.write", { session_id: "more", text: "Mind the lines." });
    for (let n = 0; n < 12; n++) await host.call("task.update", { session_id: "more", next_step: `step ${n}` });
    await host.call("checkpoint.save", { session_id: "more" });
    await host.call("checkpoint.load", { ...own, from_session: "more" });
  },
  "a checkpoint that was refused": (host) =>
    refused(host.call("checkpoint.load", { ...own, checkpoint: {} }), "malformed_checkpoint"),
  "the environment told in a new window": async (host) => {
    await host.call("task.update", { ...own, environment: { cwd: "/srv", branch: "main" } });
    await host.call("window.open", own);
    await host.call("task.update", { ...own, environment: { branch: "other" } });
  },
  "a resume": async (host) => {
    await host.call("task.update", { ...own, environment: { cwd: "/srv", branch: "main" } });
    await host.call("session.open", { ...own, resume: true });
  },
  "session.close": (host) => host.call("session.close", own),
};

describe("a session that is read back", () => {
  for (const [name, story] of Object.entries(STORIES)) {
    it.each(JOURNALS)(`is the one that was in memory after ${name}, from %s`, async (_from, manager) => {
      const host = await workedSession({ steps: 6, open: SMALL, manager: manager() });
      await story(host);
      expect(seenOf(await host.session("s"))).toEqual(seenOf(host.live("s")));
      // A snapshot is taken on the way: what the story left behind is in it, and the rows after it go on from there.
      for (let n = 0; n < ROWS_TO_A_SNAPSHOT && !host.live("s").closed; n++) {
        await host.call("note.write", { ...own, text: `Note ${n}.` });
      }
      expect(seenOf(await host.session("s"))).toEqual(seenOf(host.live("s")));
    });
  }

  it.each(JOURNALS)("goes on as one that was never away would, window by window, from %s", async (_from, manager) => {
    const stays = await workedSession({ open: SMALL, manager: manager() });
    let leaves = await workedSession({ open: SMALL, manager: manager() });
    for (let step = 0; step < 18; step++) {
      const [there, back] = [await workStep(stays, step, 700), await workStep(leaves, step, 700)];
      expect(back).toEqual(there);
      leaves = await leaves.restarted();
    }
    expect((await leaves.session("s")).windowNumber).toBeGreaterThan(2);
    expect(await documentOf(leaves)).toEqual(await documentOf(stays));
  });
});
