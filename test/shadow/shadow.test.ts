import { describe, expect, test } from "vitest";
import type { SessionKey } from "../../src/model/session-key.ts";
import type { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { TENANT, TestManager } from "../support/manager.ts";
import { ShadowedManager } from "../support/shadowed-manager.ts";
import { playRun } from "./recorded-agent.ts";

const FIFO = { fifo: { eviction: { policy: "fifo" } } };
const key = (id: string): SessionKey => ({ tenant: TENANT, id });

async function rowsOf(journal: Pick<MemoryJournal, "rows">, id: string) {
  return journal.rows(key(id), { limit: 10_000 });
}

const endings = ({ shadow }: ShadowedManager) =>
  Object.fromEntries(shadow.sessions(TENANT).map(({ key: { id }, ended }) => [id, ended]));

describe("the live session", () => {
  test.each(["openai", "anthropic"] as const)(
    "gives the same replies and journal, byte for byte, %s",
    async (format) => {
      const alone = new TestManager({ checkReplies: false });
      const replies = await playRun(alone, { format });
      const side = new ShadowedManager({
        "shadow.candidates": {
          ...FIFO,
          none: { eviction: { policy: "none" } },
          deep: { budget: { enforcement: "strict" } },
        },
      });
      const watched = await playRun(side.host, { format, afterTurn: () => side.shadow.settled() });
      expect(JSON.stringify(watched)).toBe(JSON.stringify(replies));
      expect(await rowsOf(side.journal, "s")).toEqual(await rowsOf(alone.journal, "s"));
      expect(await side.journal.sessions()).toEqual(await alone.journal.sessions());
      expect(await side.journal.verify(key("s"))).toEqual(await alone.journal.verify(key("s")));
      expect((await side.figures("s"))["fifo"]).toMatchObject({ turns: 61 });
      await side.stop();
    },
  );

  test("never waits: what a call brings is followed after its answer", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO });
    await side.host.call("session.open", { session_id: "s" });
    const [session] = side.shadow.sessions(TENANT);
    expect(session?.callsBehind).toBe(1);
    expect(session?.agent).toBe("");
    await side.shadow.settled();
    expect(session?.callsBehind).toBe(0);
    expect(session?.agent).toBe("agent");
    await side.stop();
  });

  test("goes on when its shadow meets a fault, which is logged without content", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO });
    await playRun(side.host, { turns: 3, afterTurn: () => side.shadow.settled() });
    const [session] = side.shadow.sessions(TENANT);
    session?.offer({
      sessionSeq: (await rowsOf(side.journal, "s")).length + 1,
      at: 0,
      hook: "on_turn_start",
      body: '{"events":[{"type":"block.pinned","data":{"block_id":"secret"}}]}',
      contents: [],
    });
    await side.host.call("on_turn_start", { session_id: "s" });
    await side.shadow.settled();
    expect(endings(side)).toEqual({ s: "fault" });
    expect(side.log.lines).toMatchObject([{ level: "error", fields: { fault: "Error" } }]);
    expect(side.log.text).not.toContain("secret");
    expect((await side.figures("s"))["live"]).toMatchObject({ turns: 3 });
    expect(await side.host.call("session.get", { session_id: "s" })).toMatchObject({ turn: 4 });
    await side.stop();
  });
});

describe("a candidate", () => {
  test("that would refuse a call stops alone, and says why", async () => {
    const strict = { budget: { enforcement: "strict" } };
    const side = new ShadowedManager({ "shadow.candidates": { strict, ...FIFO } });
    const session_id = "s";
    await side.host.call("session.open", {
      session_id,
      max_context_tokens: 9000,
      system: "You know much. ".repeat(500),
    });
    for (const content of ["One.", "Two.", "Three.", "Four."]) {
      await side.host.call("on_turn_start", { session_id, messages: [{ role: "user", content }] });
      await side.host.call("on_turn_end", { session_id, message: { role: "assistant", content } });
    }
    await side.shadow.settled();
    const [session] = side.shadow.sessions(TENANT);
    expect(session?.records()).toMatchObject([
      { policy: "live", ended: null, figures: { turns: 4 } },
      { policy: "strict", ended: "budget_exceeded", figures: { turns: 0 } },
      { policy: "fifo", ended: null, figures: { turns: 4 } },
    ]);
    expect(side.log.lines).toMatchObject([
      { level: "warn", fields: { candidate: "strict", reason: "budget_exceeded" } },
    ]);
    await side.stop();
  });

  test("keeps its own settings when the session is configured otherwise, and its window", async () => {
    const side = new ShadowedManager({
      "shadow.candidates": { none: { eviction: { policy: "none" } }, small: { max_context_tokens: 5000 } },
    });
    await playRun(side.host, {
      max_context_tokens: 20_000,
      afterTurn: async (turn) => {
        if (turn !== 10) return;
        await side.host.call("session.configure", { session_id: "s", settings: { eviction: { policy: "lru" } } });
        await side.host.call("session.configure", { session_id: "s", settings: { max_context_tokens: 7000 } });
      },
    });
    const { live, none, small } = await side.figures("s");
    expect(none).toMatchObject({ edits: 0, turns: 61 });
    expect(live?.edits).toBeGreaterThan(0);
    expect(small?.tokensSent).toBeLessThan((live?.tokensSent ?? 0) * 0.9);
    await side.stop();
  });

  test("counts as the session does, with what other sessions have taught", async () => {
    const side = new ShadowedManager({ "shadow.candidates": { same: {} } });
    const model = "a model that nobody knows";
    await side.host.call("session.open", { session_id: "teacher", model });
    for (let turn = 1; turn <= 12; turn++) {
      const { reading } = await side.host.call("on_turn_start", {
        session_id: "teacher",
        messages: [{ role: "user", content: "Some words to count. ".repeat(50) }],
      });
      await side.host.call("on_turn_end", {
        session_id: "teacher",
        message: { role: "assistant", content: "Counted." },
        usage: { input_tokens: reading.tokens * 2 },
      });
    }
    await playRun(side.host, { model });
    expect(side.host.manager.summary(key("s"))?.calibration).toBeGreaterThan(1.3);
    const { live, same } = await side.figures("s");
    expect(same).toEqual(live);
    await side.stop();
  });

  test("pins what the session pins", async () => {
    const side = new ShadowedManager({ "shadow.candidates": { sliding: { eviction: { policy: "sliding_window" } } } });
    const pinned = await pinnedAndNot(side, true);
    const other = new ShadowedManager({ "shadow.candidates": { sliding: { eviction: { policy: "sliding_window" } } } });
    const free = await pinnedAndNot(other, false);
    expect(pinned["sliding"]?.lineWeight).toBe(1);
    expect(free["sliding"]?.lineWeight).toBe(0);
  });
});

/** A run whose last answer needs a line of the first result. */
async function pinnedAndNot(side: ShadowedManager, pin: boolean) {
  const { host } = side;
  const session_id = "s";
  await host.call("session.open", { session_id, max_context_tokens: 3000, model: "gpt-4o" });
  const fresh: object[] = [{ role: "user", content: "Look." }];
  const turn = async (id: string, said: string, result: string) => {
    await host.call("on_turn_start", { session_id, messages: fresh.splice(0) });
    const call = { id, type: "function", function: { name: "run", arguments: "{}" } };
    await host.call("on_turn_end", { session_id, message: { role: "assistant", content: said, tool_calls: [call] } });
    return host.call("on_tool_result", { session_id, tool_call_id: id, tool_name: "run", content: result });
  };
  const { block_id } = await turn("c0", "I look.", "the port is PORT_77123 here");
  if (pin) await host.call("context.pin", { session_id, block_ids: [block_id] });
  for (let n = 1; n <= 6; n++) await turn(`c${n}`, "On.", `words and more words of no use ${n}\n`.repeat(60));
  await turn("c7", "It was PORT_77123.", "ok");
  const figures = await side.figures("s");
  await side.stop();
  return figures;
}

describe("a session is watched", () => {
  test("until it is closed; its figures stay, also when many have been watched since", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO }, { sessionsPerTenant: 1000 });
    await playRun(side.host, { turns: 2 });
    await side.host.call("session.close", { session_id: "s" });
    await side.shadow.settled();
    expect(endings(side)).toEqual({ s: "closed" });
    for (let n = 0; n < 205; n++) {
      await side.host.call("session.open", { session_id: `n${n}` });
      await side.host.call("session.close", { session_id: `n${n}` });
      await side.shadow.settled();
    }
    expect(side.shadow.sessions(TENANT)).toHaveLength(200);
    expect(endings(side)["s"]).toBeUndefined();
    expect(side.shadow.totals(TENANT)).toMatchObject([
      { policy: "live", sessions: 206, figures: { turns: 2 } },
      { policy: "fifo", sessions: 206, figures: { turns: 2 } },
    ]);
    expect(side.shadow.figures()).toMatchObject({ watched: 0, ended: { closed: 206 } });
    expect(side.shadow.totals("another tenant")).toEqual([]);
    await side.stop();
  });

  test("until its agent rewrites its history: the candidates hold another", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO });
    const session_id = "s";
    const history = [
      { role: "user", content: "One." },
      { role: "assistant", content: "Two." },
      { role: "user", content: "Three." },
    ];
    await side.host.call("session.open", { session_id });
    await side.host.call("on_turn_start", { session_id, history });
    await side.shadow.settled();
    expect(endings(side)).toEqual({ s: null });
    await side.host.call("on_turn_start", {
      session_id,
      history: [history[0], { role: "user", content: "Summed up." }],
    });
    await side.shadow.settled();
    expect(endings(side)).toEqual({ s: "history_rewritten" });
    await side.stop();
  });

  test("or is not, as the config says: nobody's without candidates, some agents', some profiles', a share", async () => {
    const watched = async (settings: ConstructorParameters<typeof ShadowedManager>[0]) => {
      const side = new ShadowedManager(settings, { sessionsPerTenant: 1000 });
      for (let n = 0; n < 40; n++) {
        const agent = n % 2 === 0 ? "even" : "odd";
        const profile = n % 4 === 0 ? "local-8k" : "default-128k";
        await side.host.call("session.open", { session_id: `${n}`, agent, profile });
      }
      const ids = side.shadow.sessions(TENANT).map(({ key: { id } }) => Number(id));
      await side.stop();
      return ids.sort((a, b) => a - b);
    };
    const all = Array.from({ length: 40 }, (_, n) => n);
    expect(await watched({})).toEqual([]);
    expect(await watched({ "shadow.candidates": FIFO })).toEqual(all);
    expect(await watched({ "shadow.candidates": FIFO, "shadow.sessions.agents": ["odd"] })).toEqual(
      all.filter((n) => n % 2 === 1),
    );
    const local = { "shadow.candidates": FIFO, "shadow.sessions.profiles": ["local-8k"] };
    expect(await watched(local)).toEqual(all.filter((n) => n % 4 === 0));
    expect(await watched({ "shadow.candidates": FIFO, "shadow.sessions.share": 0 })).toEqual([]);
    const half = await watched({ "shadow.candidates": FIFO, "shadow.sessions.share": 0.5 });
    expect(half.length).toBeGreaterThan(8);
    expect(half.length).toBeLessThan(32);
    expect(await watched({ "shadow.candidates": FIFO, "shadow.sessions.share": 0.5 })).toEqual(half);
    const more = await watched({ "shadow.candidates": FIFO, "shadow.sessions.share": 0.8 });
    expect(more).toEqual(expect.arrayContaining(half));
  });

  test("while there is room; one that has been idle for long gives its place up", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO, "shadow.max_sessions": 2 });
    for (const session_id of ["a", "b", "c"]) await side.host.call("session.open", { session_id });
    expect(endings(side)).toEqual({ a: null, b: null });
    expect(() => side.shadow.watch(key("c"))).toThrow(
      /2 sessions are watched, the limit: unwatch one, or raise shadow.max/,
    );
    for (const { clock } of [side, side.host]) clock.advance(500_000);
    await side.host.call("on_turn_start", { session_id: "a", messages: [{ role: "user", content: "Go." }] });
    for (const { clock } of [side, side.host]) clock.advance(500_000);
    side.shadow.watch(key("c"));
    await side.shadow.settled();
    expect(endings(side)).toEqual({ a: null, b: "idle", c: null });
    expect(side.shadow.unwatch(key("a"))).toBe(true);
    expect(side.shadow.unwatch(key("a"))).toBe(false);
    expect(endings(side)).toEqual({ a: "unwatched", b: "idle", c: null });
    await side.stop();
  });

  test("through a burst that does not fit its queue, with the same figures", async () => {
    const side = new ShadowedManager({ "shadow.candidates": FIFO });
    const play = (session_id: string, follow: () => Promise<void>) =>
      playRun(side.host, {
        session_id,
        afterTurn: async (turn) => {
          await follow();
          if (turn !== 30) return;
          for (let n = 0; n < 400; n++) await side.host.call("session.configure", { session_id, settings: {} });
        },
      });
    await play("slowly", () => side.shadow.settled());
    // Nothing is followed before it has all been called.
    await play("at once", async () => undefined);
    expect(side.shadow.sessions(TENANT)[0]?.callsBehind).toBeGreaterThan(500);
    expect(await side.figures("at once")).toEqual(await side.figures("slowly"));
    await side.stop();
  });
});
