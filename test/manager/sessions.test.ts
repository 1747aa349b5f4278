import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { refused, TestManager } from "../support/manager.ts";

/** A journal that takes its time, and notes how many rows were being written at once. */
class SlowJournal extends MemoryJournal {
  readonly order: string[] = [];
  most = 0;
  #writing = 0;

  override async append(request: AppendRequest) {
    this.#writing++;
    this.most = Math.max(this.most, this.#writing);
    for (let turns = request.sessionSeq % 3; turns >= 0; turns--) await nextTurn();
    this.order.push(`${request.key.id} ${request.sessionSeq}`);
    this.#writing--;
    return super.append(request);
  }
}

describe("the calls of one session", () => {
  it("take effect in the order in which they came", async () => {
    const host = new TestManager({ journal: new SlowJournal() });
    await host.call("session.open", { session_id: "s" });
    const texts = Array.from({ length: 12 }, (_, index) => `note ${index}`);
    await Promise.all(texts.map((text) => host.call("context.append", { session_id: "s", text })));
    const { messages } = await host.call("context.get", { session_id: "s", include: ["messages"] });
    expect(messages?.map((message) => message["content"])).toEqual(texts);
  });

  it("go on behind one that was refused", async () => {
    const host = new TestManager({ journal: new SlowJournal() });
    await host.call("session.open", { session_id: "s" });
    const calls = [
      host.call("context.append", { session_id: "s", text: "one" }),
      refused(host.call("context.pin", { session_id: "s", block_ids: ["b99"] }), "content_not_found"),
      host.call("context.append", { session_id: "s", text: "two" }),
    ];
    await Promise.all(calls);
    expect((await host.session("s")).messages).toHaveLength(2);
  });

  it("do not wait for those of another", async () => {
    const journal = new SlowJournal();
    const host = new TestManager({ journal });
    const ids = ["a", "b", "c", "d"];
    await Promise.all(ids.map((session_id) => host.call("session.open", { session_id })));
    expect(journal.most).toBe(ids.length);
  });

  it("are not lost when the session is closed and asked for at once", async () => {
    const host = new TestManager({ journal: new SlowJournal() });
    await host.call("session.open", { session_id: "s" });
    const [closed, read] = await Promise.all([
      host.call("session.close", { session_id: "s" }),
      host.call("context.get", { session_id: "s" }),
    ]);
    expect(closed.session_id).toBe("s");
    expect(read.turn).toBe(0);
  });
});

describe("two tenants", () => {
  it("see nothing of each other under the same session ids", async () => {
    const host = new TestManager();
    await host.call("session.open", { session_id: "s", system: "Secret of alpha." }, "alpha");
    await refused(host.call("context.get", { session_id: "s" }, "beta"), "session_not_found");
    await host.call("session.open", { session_id: "s", system: "Rule of beta." }, "beta");
    const beta = await host.call("context.get", { session_id: "s", include: ["messages"] }, "beta");
    expect(JSON.stringify(beta)).not.toContain("alpha");
    expect([...host.manager.summaries("beta")]).toHaveLength(1);
    expect(host.manager.summary({ tenant: "beta", id: "other" })).toBeNull();
  });

  it("cannot recall by each other's handles, though equal contents are stored once", async () => {
    const host = new TestManager();
    const text = "A text that both have, word for word.";
    const handles: string[] = [];
    for (const tenant of ["alpha", "beta"]) {
      await host.call("session.open", { session_id: "s" }, tenant);
      if (tenant === "alpha") await host.call("context.append", { session_id: "s", text }, tenant);
      const { blocks } = await host.call("context.get", { session_id: "s" }, tenant);
      handles.push(...(blocks ?? []).map((block) => block.handle));
    }
    await refused(host.call("content.recall", { session_id: "s", handle: handles[0] }, "beta"), "content_not_found");
    expect((await host.call("content.search", { session_id: "s", query: "word" }, "beta")).matches).toEqual([]);
  });

  it("have idempotency keys of their own", async () => {
    const host = new TestManager();
    const append = { session_id: "s", text: "A note.", idempotency_key: "k" };
    for (const tenant of ["alpha", "beta"]) await host.call("session.open", { session_id: "s" }, tenant);
    await host.call("context.append", append, "alpha");
    const beta = await host.call("context.append", { ...append, text: "Another note." }, "beta");
    expect(beta.revision).toBe(1);
  });

  it("never meet, whatever both do", async () => {
    const call = fc.record({
      tenant: fc.constantFrom("alpha", "beta"),
      what: fc.constantFrom("append", "search", "recall", "get", "explain"),
      id: fc.constantFrom("s", "t"),
      n: fc.nat(5),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
        const host = new TestManager();
        for (const tenant of ["alpha", "beta"]) {
          for (const session_id of ["s", "t"]) await host.call("session.open", { session_id }, tenant);
        }
        for (const { tenant, what, id, n } of calls) {
          const session = { session_id: id };
          const reply =
            what === "append"
              ? await host.call("context.append", { ...session, text: `${tenant} canary ${n}` }, tenant)
              : what === "search"
                ? await host.call("content.search", { ...session, query: "canary" }, tenant)
                : what === "get"
                  ? await host.call("context.get", { ...session, include: ["blocks", "messages"] }, tenant)
                  : await host
                      .call(
                        what === "recall" ? "content.recall" : "context.explain",
                        { ...session, block_id: `b${n}` },
                        tenant,
                      )
                      .catch((error: Error) => error.message);
          expect(JSON.stringify(reply)).not.toContain(tenant === "alpha" ? "beta canary" : "alpha canary");
        }
        await host.manager.stop();
      }),
      { numRuns: 60 },
    );
  });
});

describe("an idle session", () => {
  it("leaves memory and comes back as it was", async () => {
    const host = new TestManager();
    await host.call("session.open", { session_id: "s" });
    await host.call("context.append", { session_id: "s", text: "A note." });
    const before = await host.call("context.get", { session_id: "s", include: ["blocks", "messages"] });
    const after = await host.restarted();
    expect([...after.manager.summaries()].map(({ key }) => key.id)).toEqual(["s"]);
    expect(await after.call("context.get", { session_id: "s", include: ["blocks", "messages"] })).toEqual(before);
    await after.manager.stop();
  });
});
