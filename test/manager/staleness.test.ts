import { describe, expect, it } from "vitest";
import { refused, TestManager } from "../support/manager.ts";

const session = { session_id: "s" };

async function opened(): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", system: "Be careful." });
  return host;
}

describe("a call based on what is no longer so", () => {
  it("is refused when it expects another revision, and told the current one", async () => {
    const host = await opened();
    const { revision } = await host.call("context.append", { ...session, text: "The user likes tea." });
    const late = { ...session, text: "And cake.", expected_revision: revision - 1 };
    const error = await refused(host.call("context.append", late), "stale_revision");
    expect(error.data["revision"]).toBe(revision);
    expect(error.code).toBe(-32002);
    expect((await host.session("s")).revision, "nothing of the call remains").toBe(revision);
  });

  it("is taken when it expects the current revision", async () => {
    const host = await opened();
    const { revision } = await host.call("context.append", { ...session, text: "The user likes tea." });
    const next = await host.call("context.append", { ...session, text: "And cake.", expected_revision: revision });
    expect(next.revision).toBe(revision + 1);
  });

  it("is refused when it comes from another window", async () => {
    const host = await opened();
    const error = await refused(
      host.call("context.append", { ...session, text: "Late.", window_id: "s#0" }),
      "stale_revision",
    );
    expect(error.data["window_id"]).toBe("s#1");
  });

  it("may name the current window, however long the session's id is", async () => {
    const host = new TestManager();
    const id = "s".repeat(256);
    const { window_id } = await host.call("session.open", { session_id: id });
    const reply = await host.call("context.append", { session_id: id, window_id, text: "In time." });
    expect(reply.revision).toBe(1);
  });

  it("is refused on a closed session, which still can be read", async () => {
    const host = await opened();
    await host.call("session.close", session);
    await refused(host.call("context.append", { ...session, text: "Late." }), "session_closed");
    await refused(host.call("session.open", session), "session_closed");
    expect((await host.call("context.get", session)).turn).toBe(0);
    expect((await host.call("audit.list", session)).entries.at(0)?.type).toBeDefined();
  });

  it("is refused on a session that was never opened, whatever the call", async () => {
    const host = new TestManager();
    await refused(host.call("on_turn_start", session), "session_not_found");
    await refused(host.call("context.get", session), "session_not_found");
    await refused(host.call("content.recall", { ...session, handle: "h-0" }), "session_not_found");
    expect([...host.manager.summaries()]).toEqual([]);
  });

  it("opens a session that is open only to go on with it", async () => {
    const host = await opened();
    await refused(host.call("session.open", session), "session_exists");
    const resumed = await host.call("session.open", { ...session, resume: true });
    expect(resumed.resumed).toBe(true);
    expect(resumed.revision).toBe(1);
  });
});

describe("the revision", () => {
  it("rises by one with each call that changes the context, and with no other", async () => {
    const host = await opened();
    const revisionAfter = async (call: Promise<unknown>) => {
      await call;
      return (await host.call("context.get", session)).revision;
    };
    expect(
      await revisionAfter(host.call("on_turn_start", { ...session, messages: [{ role: "user", content: "Hi." }] })),
    ).toBe(2);
    expect(await revisionAfter(host.call("context.pin", { ...session, block_ids: ["b1"] }))).toBe(2);
    expect(await revisionAfter(host.call("session.configure", { ...session, settings: {} }))).toBe(2);
    expect(
      await revisionAfter(host.call("on_turn_end", { ...session, message: { role: "assistant", content: "Hi." } })),
    ).toBe(3);
    expect(await revisionAfter(host.call("on_turn_start", session))).toBe(3);
    expect(await revisionAfter(host.call("budget.report", session))).toBe(3);
  });
});
