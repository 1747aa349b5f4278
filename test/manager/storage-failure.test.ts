import { describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { refused, TestManager } from "../support/manager.ts";

/** A journal whose disk can be full. */
class FailingJournal extends MemoryJournal {
  full = false;

  override async append(request: AppendRequest) {
    if (this.full) throw new ContextdError("storage_unavailable", "The disk is full.");
    return super.append(request);
  }
}

const session = { session_id: "s" };
const hello = { ...session, messages: [{ role: "user", content: "Mend the parser." }] };

describe("a call that the journal does not take", () => {
  it("leaves nothing in the session, and nothing is published", async () => {
    const journal = new FailingJournal();
    const host = new TestManager({ journal });
    await host.call("session.open", { ...session, system: "Be careful." });
    const before = await host.call("context.get", { ...session, include: ["blocks", "messages"] });
    const published = host.events.length;
    journal.full = true;
    await refused(host.call("on_turn_start", hello), "storage_unavailable");
    expect(await host.call("context.get", { ...session, include: ["blocks", "messages"] })).toEqual(before);
    expect(host.events.length).toBe(published);
    expect(host.manager.summary({ tenant: "acme", id: "s" })?.turn).toBe(0);
  });

  it("can be made again when the disk has room", async () => {
    const journal = new FailingJournal();
    const host = new TestManager({ journal });
    await host.call("session.open", { ...session, system: "Be careful." });
    journal.full = true;
    await refused(host.call("on_turn_start", { ...hello, idempotency_key: "k" }), "storage_unavailable");
    journal.full = false;
    const reply = await host.call("on_turn_start", { ...hello, idempotency_key: "k" });
    expect(reply.turn).toBe(1);
    expect(reply.messages).toHaveLength(2);
    expect((await journal.verify({ tenant: "acme", id: "s" })).brokenAt).toBeNull();
  });

  it("opens no session, and takes no place among the tenant's", async () => {
    const journal = new FailingJournal();
    const host = new TestManager({ journal, sessionsPerTenant: 1 });
    journal.full = true;
    await refused(host.call("session.open", session), "storage_unavailable");
    await refused(host.call("context.get", session), "session_not_found");
    journal.full = false;
    await host.call("session.open", { session_id: "other" });
    await refused(host.call("session.open", { session_id: "third" }), "rate_limited");
  });

  it("teaches the calibration nothing", async () => {
    const journal = new FailingJournal();
    const host = new TestManager({ journal });
    await host.call("session.open", { ...session, model: "claude-sonnet-4-5", message_format: "anthropic" });
    await host.call("on_turn_start", hello);
    const answer = { ...session, message: { role: "assistant", content: "Done." }, usage: { input_tokens: 5_000 } };
    journal.full = true;
    await refused(host.call("on_turn_end", answer), "storage_unavailable");
    journal.full = false;
    const other = {
      session_id: "other",
      model: "claude-sonnet-4-5",
      message_format: "anthropic",
      system: "Be careful.",
    };
    const fresh = new TestManager();
    expect((await host.call("session.open", other)).reading).toEqual((await fresh.call("session.open", other)).reading);
  });
});

describe("a call that fails in the middle of its decision", () => {
  it("leaves nothing of what it had done", async () => {
    const host = new TestManager();
    const big = "A rule that must be kept. ".repeat(200);
    const open = {
      session_id: "s",
      model: "gpt-4o",
      max_context_tokens: 2_000,
      system: big,
      settings: { budget: { enforcement: "strict" } },
    };
    const error = await refused(host.call("session.open", open), "budget_exceeded");
    expect(error.data["path"]).toBe("system");
    await refused(host.call("context.get", session), "session_not_found");
    const reply = await host.call("session.open", { ...open, system: "Be careful." });
    expect(reply.resumed).toBe(false);
  });
});
