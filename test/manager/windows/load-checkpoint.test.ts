import { describe, expect, it } from "vitest";
import { messageFormats } from "../../../src/messages/index.ts";
import type { ErrorReason } from "../../../src/model/errors.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { checksumOf } from "../../../src/window/checkpoint/index.ts";
import { refused, type TestManager } from "../../support/manager.ts";
import { seenOf } from "../../support/seen-session.ts";
import { documentOf, own, TASK, workedSession, workStep } from "../../support/windowed-session.ts";
import { wire } from "../../support/wire-messages.ts";

const later = { session_id: "later" };

/** A session that knows much, and has saved it. */
async function saved(): Promise<TestManager> {
  const host = await workedSession({ steps: 8 });
  await host.call("task.update", {
    ...own,
    subtasks: [
      { id: "t1", title: "Read it", status: "done" },
      { id: "t2", title: "Mend it", status: "in_progress" },
      { id: "t3", title: "Test it" },
    ],
    decisions: [{ decision: "Use a table." }],
    open_issues: ["Line 3 fails."],
    next_step: "Write the table.",
  });
  await host.call("note.write", { ...own, text: "Mind the tabs.", category: "learnings" });
  await host.call("checkpoint.save", own);
  return host;
}

const resealed = (document: JsonObject, change: JsonObject): JsonObject => {
  const changed = { ...document, ...change };
  return { ...changed, checksum: checksumOf(changed) };
};

describe("a checkpoint that is loaded", () => {
  it("is what the session knows from then on, in a new window", async () => {
    const host = await saved();
    const document = await documentOf(host);
    await host.call("session.open", { ...later, model: "gpt-4o", task: TASK });
    const reply = await host.call("checkpoint.load", { ...later, checkpoint: document });
    expect(reply.window_id).toBe("later#2");
    expect(reply.state_version).toBeGreaterThan(document["state_version"] as number);
    const task = await host.call("task.get", later);
    expect(task).toMatchObject({ ...TASK, open_issues: ["Line 3 fails."], next_step: "Write the table." });
    // Planned is never done.
    expect(task.subtasks.map(({ id, status }) => `${id} ${status}`)).toEqual([
      "t1 done",
      "t2 in_progress",
      "t3 planned",
    ]);
    expect((await host.call("note.list", later)).notes).toMatchObject([{ text: "Mind the tabs." }]);
    const { prompt, messages } = reply.bootstrap as NonNullable<typeof reply.bootstrap>;
    expect(messageFormats.openai.check({ messages: messages as JsonObject[] })).toEqual([]);
    for (const text of [TASK.goal, ...TASK.constraints, "Use a table.", "Line 3 fails.", "Write the table."]) {
      expect(prompt).toContain(text);
    }
    expect(host.published("checkpoint.restored")).toMatchObject([{ checkpoint_id: "c2", from_session_id: "s" }]);
    expect(host.published("window.opened").at(-1)).toMatchObject({ window_id: "later#2", cause: "checkpoint" });
  });

  it("gives a session without a task the task", async () => {
    const host = await saved();
    await host.call("session.open", later);
    await host.call("checkpoint.load", { ...later, from_session: "s" });
    expect(await host.call("task.get", later)).toMatchObject(TASK);
    // A checkpoint of its own is of that task then.
    const { document } = await host.call("checkpoint.get", later);
    expect(document?.["task_hash"]).toBe((await documentOf(host))["task_hash"]);
  });

  it("comes from another session of the tenant, open or closed, the newest or the one that is named", async () => {
    const host = await saved();
    await host.call("task.update", { ...own, next_step: "Close it." });
    await host.call("session.close", own);
    const next = await host.restarted();
    for (const [session_id, checkpoint_id, next_step] of [
      ["x", undefined, "Close it."],
      ["y", "c1", "Write the table."],
    ] as const) {
      await next.call("session.open", { session_id, task: TASK });
      await next.call("checkpoint.load", {
        session_id,
        from_session: "s",
        ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      });
      expect(await next.call("task.get", { session_id })).toMatchObject({ next_step });
    }
  });

  it("leaves a session that works on as valid as it was", async () => {
    const host = await saved();
    await host.call("session.open", { ...later, task: TASK });
    await host.call("checkpoint.load", { ...later, from_session: "s" });
    const { messages } = await host.call("on_turn_start", { ...later, messages: [wire.openai.user("Go on.")] });
    expect(messageFormats.openai.check({ messages: messages as JsonObject[] })).toEqual([]);
    await host.call("on_turn_end", { ...later, message: wire.openai.answer("I do.") });
    expect(seenOf(await host.session("later"))).toEqual(seenOf(host.live("later")));
  });

  it("is loaded once however often the call is made with one key", async () => {
    const host = await saved();
    await host.call("session.open", { ...later, task: TASK });
    const call = { ...later, idempotency_key: "k", from_session: "s" };
    const first = await host.call("checkpoint.load", call);
    expect(await host.call("checkpoint.load", call)).toEqual(first);
    const next = await host.restarted();
    expect(await next.call("checkpoint.load", call)).toEqual(first);
    expect((await next.session("later")).windowNumber).toBe(2);
  });
});

describe("a checkpoint that may not be loaded", () => {
  interface Refusal {
    readonly name: string;
    readonly reason: ErrorReason;
    readonly told: string;
    readonly offered: (host: TestManager, document: JsonObject) => JsonObject | Promise<JsonObject>;
  }
  const REFUSALS: readonly Refusal[] = [
    {
      name: "a changed one",
      reason: "malformed_checkpoint",
      told: "malformed",
      offered: (_host, document) => ({ ...document, next_step: "Delete it all." }),
    },
    {
      name: "another JSON",
      reason: "malformed_checkpoint",
      told: "malformed",
      offered: () => ({ canaryword: true }),
    },
    {
      name: "one of another task",
      reason: "foreign_checkpoint",
      told: "foreign",
      offered: (_host, document) => resealed(document, { task_hash: "0".repeat(64) }),
    },
    {
      name: "an old one",
      reason: "expired_checkpoint",
      told: "expired",
      offered: (host, document) => {
        host.clock.advance(31 * 24 * 3_600_000);
        return document;
      },
    },
    {
      name: "one that tells nothing new",
      reason: "stale_checkpoint",
      told: "stale",
      offered: async (host) => {
        const { checkpoint } = await host.call("checkpoint.save", later);
        return documentOf(host, { ...later, checkpoint_id: checkpoint.checkpoint_id });
      },
    },
  ];

  for (const { name, reason, told, offered } of REFUSALS) {
    it(`is refused as ${reason}, with one event, the same again with its key, and changes nothing but its alert: ${name}`, async () => {
      const host = await saved();
      const document = await documentOf(host);
      await host.call("session.open", { ...later, task: TASK, system: "Be careful." });
      await host.call("on_turn_start", { ...later, messages: [wire.openai.user("Begin.")] });
      const checkpoint = await offered(host, document);
      const before = seenOf(await host.session("later"));
      const call = { ...later, idempotency_key: "k", checkpoint };
      const error = await refused(host.call("checkpoint.load", call), reason);
      expect(error.message).not.toContain("canaryword");
      const again = await refused(host.call("checkpoint.load", call), reason);
      expect([again.message, again.data]).toEqual([error.message, error.data]);
      expect(host.published("checkpoint.rejected")).toMatchObject([{ reason: told }]);
      const next = await host.restarted();
      const third = await refused(next.call("checkpoint.load", call), reason);
      expect([third.message, third.data]).toEqual([error.message, error.data]);
      expect(next.events).toEqual([]);
      // Another call under the key is another call.
      await refused(next.call("checkpoint.load", { ...call, checkpoint: {} }), "idempotency_conflict");
      const { position: _before, lastSeen: _seen, alerts: _none, health: _then, ...then } = before;
      const { position: _after, lastSeen: _later, alerts, health: _now, ...now } = seenOf(await next.session("later"));
      expect(now).toEqual(then);
      expect(Object.keys(alerts)).toEqual(["CheckpointRejected"]);
    });
  }

  it("is told with the versions where it is stale, as that of window 3 after window 4", async () => {
    const host = await workedSession({ steps: 3 });
    for (let window = 1; window < 4; window++) {
      await host.call("window.open", own);
      await workStep(host, 2 + window);
    }
    const { checkpoints } = await host.call("checkpoint.list", own);
    const third = checkpoints.find(({ window_number }) => window_number === 3);
    expect(third).toBeDefined();
    const call = { ...own, checkpoint_id: third?.checkpoint_id };
    const error = await refused(host.call("checkpoint.load", call), "stale_checkpoint");
    expect(error.data).toMatchObject({
      window_number: 3,
      session_window_number: 4,
      state_version: third?.state_version,
      session_state_version: host.live("s").stateVersion,
    });
    expect(error.message).toContain("window 3");
    expect(error.message).toContain("window 4");
  });

  it("is not there in a session, a tenant or under an id that has none, and each is answered alike", async () => {
    const host = await saved();
    await host.call("session.open", { ...later, task: TASK });
    await host.call("session.open", { session_id: "there", task: TASK }, "other");
    const ask = (from_session: string, tenant?: string) =>
      refused(
        host.call("checkpoint.load", { session_id: tenant ? "there" : "later", from_session }, tenant),
        "checkpoint_not_found",
      );
    const unknown = await ask("canaryword");
    expect(unknown.message).not.toContain("canaryword");
    const foreign = await ask("s", "other");
    expect([foreign.message, foreign.data]).toEqual([unknown.message, unknown.data]);
    await refused(
      host.call("checkpoint.load", { ...later, from_session: "s", checkpoint_id: "c9" }),
      "checkpoint_not_found",
    );
    await refused(host.call("checkpoint.load", { ...later, checkpoint_id: "c1" }), "checkpoint_not_found");
    expect(host.published("checkpoint.rejected")).toEqual([]);
  });

  it("is asked for in one way", async () => {
    const host = await saved();
    const document = await documentOf(host);
    for (const given of [
      {},
      { checkpoint: document, from_session: "s" },
      { checkpoint: document, checkpoint_id: "c1" },
    ]) {
      await refused(host.call("checkpoint.load", { ...own, ...given }), "invalid_params");
    }
  });
});
