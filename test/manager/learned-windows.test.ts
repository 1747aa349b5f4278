import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/store/index.ts";
import type { AppendRequest, Journal } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { configWith } from "../config/config-with.ts";
import { TestManager } from "../support/manager.ts";
import { copyOfStore, storeFolder } from "../support/store-folder.ts";

const MODEL = "claude-sonnet-4-5";
/** What the config tells of every model. */
const config = configWith({ max_context_tokens: 200_000 });
const DAY = 24 * 3_600_000;

const words = (session_id: string) => ({ session_id, messages: [{ role: "user", content: "Mend the parser." }] });
const open = (host: TestManager, session_id: string, more: object = {}, tenant?: string) =>
  host.call("session.open", { session_id, model: MODEL, ...more }, tenant);

/** A session in which the agent tells the true window. */
async function told(host: TestManager, session_id: string, window_tokens: number, more: object = {}, tenant?: string) {
  await open(host, session_id, more, tenant);
  await host.call("on_turn_start", { ...words(session_id), model_reported: { window_tokens } }, tenant);
}

async function used(host: TestManager, session_id: string, input_tokens: number) {
  const message = { role: "assistant", content: "Mended." };
  await host.call("on_turn_end", { session_id, message, usage: { input_tokens, output_tokens: 3 } });
}

describe("a window that was learned in one session", () => {
  it("is that of the model's next, which says where it was learned", async () => {
    const host = new TestManager({ config });
    expect(await open(host, "first")).toMatchObject({
      max_context_tokens: 200_000,
      window_source: { from: "profile", at: null },
    });
    host.clock.advance(5_000);
    const at = host.clock.now();
    await host.call("on_turn_start", { ...words("first"), model_reported: { window_tokens: 131_072 } });
    const source = { from: "model_reported", at };
    expect(await host.call("session.get", { session_id: "first" })).toMatchObject({
      max_tokens: 131_072,
      window_source: source,
    });
    host.clock.advance(5_000);
    expect(await open(host, "next")).toMatchObject({ max_context_tokens: 131_072, window_source: source });
    expect(host.published("session.opened").at(-1)).toMatchObject({
      max_context_tokens: 131_072,
      window_guessed: false,
      window_source: source,
    });
    expect(host.manager.summary({ tenant: "acme", id: "next" })?.window_source).toEqual(source);
    expect((await open(host, "another", { model: "gpt-4o" })).max_context_tokens).toBe(200_000);
    expect((await open(host, "theirs", {}, "globex")).max_context_tokens).toBe(200_000);
  });

  it("takes the place of a guess", async () => {
    const host = new TestManager();
    const model = "a model that nobody knows";
    expect(await open(host, "first", { model })).toMatchObject({
      window_guessed: true,
      window_source: { from: "guessed", at: null },
    });
    await told(host, "second", 300_000, { model });
    const at = host.clock.now();
    expect(await open(host, "third", { model })).toMatchObject({
      max_context_tokens: 300_000,
      window_guessed: false,
      window_source: { from: "model_reported", at },
    });
  });

  it("is believed for thirty days", async () => {
    const host = new TestManager({ config });
    await told(host, "first", 131_072);
    host.clock.advance(30 * DAY - 1);
    expect((await open(host, "then")).max_context_tokens).toBe(131_072);
    host.clock.advance(1);
    expect(await open(host, "later")).toMatchObject({
      max_context_tokens: 200_000,
      window_source: { from: "profile", at: null },
    });
  });

  it("is forgotten when a prompt larger than it went through", async () => {
    const host = new TestManager({ config });
    await told(host, "first", 131_072);
    await used(host, "first", 131_073);
    expect((await open(host, "next")).max_context_tokens).toBe(200_000);
  });

  it("is not undone by a change of other settings, but by one of the window", async () => {
    const host = new TestManager({ config });
    await told(host, "first", 131_072);
    await open(host, "next");
    const { reading } = await host.call("session.configure", {
      session_id: "next",
      settings: { eviction: { policy: "lru" } },
    });
    expect(reading.max_tokens).toBe(131_072);
    await host.call("session.configure", { session_id: "next", settings: { max_context_tokens: 150_000 } });
    expect(await host.call("session.get", { session_id: "next" })).toMatchObject({
      max_tokens: 150_000,
      window_source: { from: "session", at: null },
    });
  });

  it("is in the session as it is read back", async () => {
    const host = new TestManager({ config, snapshotEvery: 1 });
    await told(host, "first", 131_072);
    expect((await host.session("first")).windowSource).toEqual(host.live("first").windowSource);
    const rows = new TestManager({ config, snapshotEvery: 1000 });
    await told(rows, "first", 131_072);
    expect((await rows.session("first")).windowSource).toEqual(rows.live("first").windowSource);
    expect(rows.live("first").windowSource).toEqual({ from: "model_reported", at: rows.clock.now() });
  });
});

describe("where the window comes from", () => {
  it.each([
    ["the call", { max_context_tokens: 50_000 }, "session"],
    ["the session's own settings", { settings: { max_context_tokens: 50_000 } }, "session"],
    ["the config", {}, "profile"],
    [
      "the catalogue, where the session has the config's taken back",
      { settings: { max_context_tokens: null } },
      "model",
    ],
  ])("is told: %s", async (_what, more, from) => {
    const host = new TestManager({ config });
    expect((await open(host, "s", more)).window_source).toEqual({ from, at: null });
  });
});

describe("what was learned of a model", () => {
  /** A host on a store on disk, as another process would find it. */
  const restarted = async (folder: string) => {
    const copy = copyOfStore(folder);
    const host = new TestManager({ config, journal: await openJournal({ kind: "sqlite", path: copy }) });
    await host.manager.start();
    return { host, copy };
  };

  it.each(["kill -9", "an orderly stop"])(
    "is known after %s, when all its sessions are closed, of its tenant alone",
    async (ending) => {
      const folder = storeFolder();
      const journal: Journal = await openJournal({ kind: "sqlite", path: folder });
      const first = new TestManager({ config, journal });
      await first.manager.start();
      await told(first, "first", 131_072);
      await used(first, "first", 100);
      const { calibration } = await first.call("session.get", { session_id: "first" });
      expect(calibration).toBeGreaterThan(1);
      const at = first.clock.now();
      await first.call("session.close", { session_id: "first" });
      if (ending !== "kill -9") await journal.close();

      const { host } = await restarted(folder);
      if (ending === "kill -9") await journal.close();
      expect(await open(host, "next")).toMatchObject({
        max_context_tokens: 131_072,
        window_source: { from: "model_reported", at },
      });
      expect((await host.call("session.get", { session_id: "next" })).calibration).toBe(calibration);
      expect(host.manager.learnedModels("acme")).toEqual(first.manager.learnedModels("acme"));
      expect(host.manager.learnedModels("globex")).toEqual([]);
      expect(await open(host, "theirs", {}, "globex")).toMatchObject({ max_context_tokens: 200_000 });
      await host.journal.close();
    },
  );

  it("is stored with the rows that taught it, and with no others", async () => {
    const lessons: (string | null)[] = [];
    class Watched extends MemoryJournal {
      override async append(request: AppendRequest) {
        lessons.push(request.learned ? request.hook : null);
        return super.append(request);
      }
    }
    const host = new TestManager({ config, journal: new Watched() });
    await told(host, "s", 131_072);
    await used(host, "s", 100);
    await host.call("session.close", { session_id: "s" });
    expect(lessons).toEqual([null, "on_turn_start", "on_turn_end", null]);
  });

  it("holds for the first reading of a new session", async () => {
    const host = new TestManager({ config });
    const system = "Be careful with the parser. ".repeat(50);
    const { reading: before } = await open(host, "before", { system });
    for (let turn = 0; turn < 5; turn++) {
      await host.call("on_turn_start", words("before"));
      await used(host, "before", 10_000);
    }
    const { reading: after } = await open(host, "after", { system });
    expect(after.tokens / before.tokens).toBeGreaterThan(1.5);
  });
});
