import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { refused, TestManager } from "../support/manager.ts";

const session = { session_id: "s" };
const hello = { messages: [{ role: "user", content: "Mend the parser." }] };

async function opened(): Promise<TestManager> {
  const host = new TestManager();
  await host.call("session.open", { ...session, model: "gpt-4o", system: "Be careful.", max_context_tokens: 8_000 });
  return host;
}

describe("a call with an idempotency key", () => {
  it("answers the same again, and has its effect once", async () => {
    const host = await opened();
    const first = await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    const rows = host.events.length;
    expect(await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" })).toEqual(first);
    expect(host.events.length, "nothing more was published").toBe(rows);
    expect((await host.session("s")).turn).toBe(1);
  });

  it("answers as of then when the session has moved on", async () => {
    const host = await opened();
    const first = await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    await host.call("on_turn_end", { ...session, message: { role: "assistant", content: "Done." } });
    await host.call("on_turn_start", { ...session, messages: [{ role: "user", content: "And the lexer." }] });
    const again = await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    expect(again).toEqual(first);
    expect(again.messages).toHaveLength(2);
  });

  it("answers the same after a restart", async () => {
    const host = await opened();
    const first = await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    const after = await host.restarted();
    expect(await after.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" })).toEqual(first);
    await after.manager.stop();
  });

  it("has its effect once when its retries overtake one another", async () => {
    const host = await opened();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" })),
    );
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect((await host.session("s")).turn).toBe(1);
  });

  it("is refused under a key that another call used", async () => {
    const host = await opened();
    await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    const other = { ...session, messages: [{ role: "user", content: "Another." }], idempotency_key: "k1" };
    expect((await refused(host.call("on_turn_start", other), "idempotency_conflict")).data["path"]).toBe(
      "idempotency_key",
    );
    await refused(host.call("session.close", { ...session, idempotency_key: "k1" }), "idempotency_conflict");
    expect((await host.session("s")).turn).toBe(1);
  });

  it("is the same call whatever the order of its parameters", async () => {
    const host = await opened();
    const first = await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    const turned = { idempotency_key: "k1", messages: [{ content: "Mend the parser.", role: "user" }], ...session };
    expect(await host.call("on_turn_start", turned)).toEqual(first);
  });

  it("is remembered too when it changed nothing", async () => {
    const host = await opened();
    const { block_ids } = await host.call("context.append", { ...session, text: "The user likes tea.", pin: true });
    const pin = { ...session, block_ids, idempotency_key: "k1" };
    const first = await host.call("context.pin", pin);
    await host.call("context.unpin", { ...session, block_ids });
    expect(await host.call("context.pin", pin), "the retry of a call that had no effect has none").toEqual(first);
    expect((await host.session("s")).blocks.get(block_ids[0] as string)?.pinned).toBe(false);
  });

  it("opens one session, even where the daemon chooses the id", async () => {
    const host = new TestManager();
    const open = { model: "gpt-4o", idempotency_key: "open-1" };
    const first = await host.call("session.open", open);
    expect(await host.call("session.open", open)).toEqual(first);
    const other = await host.call("session.open", { model: "gpt-4o", idempotency_key: "open-2" });
    expect(other.session_id).not.toBe(first.session_id);
    const elsewhere = await host.call("session.open", open, "other-tenant");
    expect(elsewhere.resumed, "another tenant's key is another key").toBe(false);
    expect([...host.manager.summaries()]).toHaveLength(3);
  });

  it("still answers when the session has been closed", async () => {
    const host = await opened();
    const first = await host.call("session.close", { ...session, idempotency_key: "k1" });
    expect(await host.call("session.close", { ...session, idempotency_key: "k1" })).toEqual(first);
    await refused(host.call("session.close", { ...session, idempotency_key: "k2" }), "session_closed");
  });

  it("was refused, so its key is free", async () => {
    const host = await opened();
    const early = { ...session, expected_revision: 99, ...hello, idempotency_key: "k1" };
    await refused(host.call("on_turn_start", early), "stale_revision");
    await host.call("on_turn_start", { ...session, ...hello, idempotency_key: "k1" });
    expect((await host.session("s")).turn).toBe(1);
  });

  it("has one effect a key under any mixture of retries and restarts", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.nat(5), fc.constant("restart" as const)), { maxLength: 25 }),
        async (steps) => {
          let host = await opened();
          const seen = new Map<number, unknown>();
          for (const step of steps) {
            if (step === "restart") {
              host = await host.restarted({ snapshotEvery: 2 });
              continue;
            }
            const reply = await host.call("context.append", {
              ...session,
              text: `note ${step}`,
              idempotency_key: `key-${step}`,
            });
            if (seen.has(step)) expect(reply).toEqual(seen.get(step));
            seen.set(step, reply);
          }
          const { blocks } = await host.session("s");
          expect([...blocks.values()].filter((block) => block.type === "memory_injection")).toHaveLength(seen.size);
          await host.manager.stop();
        },
      ),
      { numRuns: 60 },
    );
  });
});
