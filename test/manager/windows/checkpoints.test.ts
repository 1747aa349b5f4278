import { describe, expect, it } from "vitest";
import { readCheckpoint } from "../../../src/window/checkpoint/index.ts";
import { refused } from "../../support/manager.ts";
import { documentOf, own, TASK, workedSession } from "../../support/windowed-session.ts";

describe("checkpoint.save", () => {
  it("writes down what the session knows of its task", async () => {
    const host = await workedSession({ steps: 3 });
    await host.call("task.update", {
      ...own,
      subtasks: [{ id: "t1", title: "Read it", status: "in_progress" }],
      decisions: [{ decision: "Use a table.", rationale: "It is short.", alternatives: ["A switch."] }],
      open_issues: ["Line 3 fails."],
      learnings: ["The tests are slow."],
      environment: { cwd: "/srv" },
      next_step: "Write the table.",
    });
    await host.call("note.write", { ...own, text: "Mind the tabs.", category: "learnings", importance: "high" });
    const { saved, checkpoint } = await host.call("checkpoint.save", own);
    expect(saved).toBe(true);
    expect(checkpoint).toMatchObject({ checkpoint_id: "c1", window_id: "s#1", reason: "requested", turn: 4 });
    const document = await documentOf(host);
    expect(document).toMatchObject({
      checkpoint_id: "c1",
      session_id: "s",
      task: TASK,
      subtasks: [{ id: "t1", status: "in_progress" }],
      decisions: [{ decision: "Use a table." }],
      open_issues: ["Line 3 fails."],
      learnings: ["The tests are slow."],
      notes: [{ text: "Mind the tabs.", importance: "high" }],
      environment: { cwd: "/srv" },
      next_step: "Write the table.",
      state_version: host.live("s").stateVersion,
      window_number: 1,
    });
    expect(readCheckpoint(document)).toEqual({ document });
    expect(checkpoint.bytes).toBe(Buffer.byteLength(JSON.stringify(document)));
    expect(host.published("checkpoint.saved")).toHaveLength(1);
  });

  it("answers the newest one where nothing changed, and tells no event", async () => {
    const host = await workedSession({ steps: 3 });
    const first = await host.call("checkpoint.save", own);
    const events = host.events.length;
    expect(await host.call("checkpoint.save", own)).toEqual({ ...first, saved: false });
    expect(host.events.length).toBe(events);
    await host.call("task.update", { ...own, next_step: "Now this." });
    expect(await host.call("checkpoint.save", own)).toMatchObject({ saved: true, checkpoint: { checkpoint_id: "c2" } });
  });

  it("is done once however often it is made with one key", async () => {
    const host = await workedSession({ steps: 3 });
    const first = await host.call("checkpoint.save", { ...own, idempotency_key: "k" });
    await host.call("task.update", { ...own, next_step: "Now this." });
    expect(await host.call("checkpoint.save", { ...own, idempotency_key: "k" })).toEqual(first);
    const next = await host.restarted();
    expect(await next.call("checkpoint.save", { ...own, idempotency_key: "k" })).toEqual(first);
    expect((await next.call("checkpoint.list", own)).saved).toBe(1);
  });

  it("is refused in a session that is closed or that there never was", async () => {
    const host = await workedSession();
    await host.call("session.close", own);
    await refused(host.call("checkpoint.save", own), "session_closed");
    await refused(host.call("checkpoint.save", { session_id: "never" }), "session_not_found");
  });
});

describe("checkpoint.list and checkpoint.get", () => {
  it("have the newest first, each with its document", async () => {
    const host = await workedSession({ steps: 3 });
    for (const next_step of ["one", "two", "three"]) {
      await host.call("task.update", { ...own, next_step });
      await host.call("checkpoint.save", own);
    }
    const list = await host.call("checkpoint.list", own);
    expect(list.checkpoints.map(({ checkpoint_id }) => checkpoint_id)).toEqual(["c3", "c2", "c1"]);
    expect(list).toMatchObject({ window_id: "s#1", window_number: 1, saved: 3 });
    expect(list.state_version).toBe(host.live("s").stateVersion);
    for (const [at, next_step] of ["three", "two", "one"].entries()) {
      const checkpoint_id = list.checkpoints[at]?.checkpoint_id as string;
      expect(await documentOf(host, { ...own, checkpoint_id })).toMatchObject({ checkpoint_id, next_step });
    }
    expect(await documentOf(host)).toMatchObject({ next_step: "three" });
  });

  it("have the document as Markdown for people", async () => {
    const host = await workedSession({ steps: 3 });
    await host.call("checkpoint.save", own);
    const { markdown, document } = await host.call("checkpoint.get", { ...own, format: "markdown" });
    expect(markdown).toContain(TASK.goal);
    expect(document).toBeUndefined();
  });

  it("have the last fifty, whose numbers go on rising", async () => {
    const host = await workedSession();
    for (let n = 1; n <= 53; n++) {
      await host.call("task.update", { ...own, next_step: `step ${n}` });
      await host.call("checkpoint.save", own);
    }
    const { saved, checkpoints } = await host.call("checkpoint.list", own);
    expect(saved).toBe(53);
    expect(checkpoints.map(({ checkpoint_id }) => checkpoint_id).slice(0, 2)).toEqual(["c53", "c52"]);
    expect(checkpoints).toHaveLength(50);
    await refused(host.call("checkpoint.get", { ...own, checkpoint_id: "c3" }), "checkpoint_not_found");
    expect(await documentOf(host, { ...own, checkpoint_id: "c4" })).toMatchObject({ next_step: "step 4" });
  });

  it("know none before one was saved, and none of an id that nobody gave", async () => {
    const host = await workedSession();
    expect((await host.call("checkpoint.list", own)).checkpoints).toEqual([]);
    await refused(host.call("checkpoint.get", own), "checkpoint_not_found");
    await host.call("checkpoint.save", own);
    const error = await refused(
      host.call("checkpoint.get", { ...own, checkpoint_id: "canaryword" }),
      "checkpoint_not_found",
    );
    expect(error.message).not.toContain("canaryword");
  });

  it("have those of a closed session still", async () => {
    const host = await workedSession({ steps: 2 });
    await host.call("session.close", own);
    const next = await host.restarted();
    expect((await next.call("checkpoint.list", own)).checkpoints).toHaveLength(1);
    expect(await documentOf(next)).toMatchObject({ reason: "close" });
  });
});
