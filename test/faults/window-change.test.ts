import { randomBytes } from "node:crypto";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ContextdClient, NoAnswerError } from "../../src/client/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { readCheckpoint } from "../../src/window/checkpoint/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { storeFolder } from "../support/store-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { judgeWindows, type StoredWindows } from "../support/window-oracle.ts";
import { prose, wire } from "../support/wire-messages.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";

const TASK = { goal: "Mend the parser.", success_criteria: ["The tests pass."], constraints: ["Leave the lexer."] };
const SETTINGS = { eviction: { policy: "none" }, cross_window: { enabled: true } };

/** A call that is to be under way when the daemon dies, and what it does to its session. */
interface Change {
  readonly method: string;
  readonly session: string;
  readonly params?: JsonObject;
  /** The window that is current once it has taken effect. */
  readonly window: string;
  /** Checkpoints that it saves: a refusal of the provider has one saved before anything goes. */
  readonly saves: number;
}

const CHANGES: readonly Change[] = [
  { method: "on_turn_start", session: "full", window: "full#2", saves: 1 },
  { method: "on_overflow", session: "refused", params: { provider_error: "too long" }, window: "refused#2", saves: 2 },
  { method: "window.open", session: "asked", window: "asked#2", saves: 1 },
  { method: "checkpoint.load", session: "loading", params: { from_session: "source" }, window: "loading#2", saves: 1 },
  { method: "checkpoint.save", session: "saving", window: "saving#1", saves: 1 },
];

const FAILPOINTS = ["mid_row", "before_commit", "after_commit"] as const;
const WAYS = ["alone", "after other calls", "twice at once, beside another call"] as const;
type Way = (typeof WAYS)[number];

const base = temporaryFolder();
let judged: Promise<ReadonlyMap<string, StoredWindows>> | null = null;

/** What the base's sessions are before their change. */
function windowsBefore(): Promise<ReadonlyMap<string, StoredWindows>> {
  judged ??= judgeWindows(base.path).then(({ sessions, findings }) => {
    expect(findings).toEqual([]);
    return sessions;
  });
  return judged;
}

async function open(client: ContextdClient, session_id: string, steps: number): Promise<void> {
  const common = { session_id };
  await client.call("session.open", {
    ...common,
    model: "gpt-4o",
    max_context_tokens: 8000,
    system: "Be careful.",
    task: TASK,
    settings: SETTINGS,
  });
  await client.call("on_turn_start", { ...common, messages: [wire.openai.user(TASK.goal)] });
  for (let step = 0; step < steps; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `ls ${step}` } };
    await client.call("on_turn_end", { ...common, message: wire.openai.answer("I look.", [call]) });
    const result = { tool_call_id: call.id, tool_name: call.name, content: prose(880, `step ${step}`) };
    await client.call("on_tool_result", { ...common, ...result });
    if (step < steps - 1 || session_id !== "full") await client.call("on_turn_start", common);
  }
}

/** Every session stands before its change; made once, each case has a copy. */
beforeAll(async () => {
  await using daemon = await DaemonProcess.start({ data: base.path });
  const { client } = daemon;
  await Promise.all(CHANGES.map(({ session }) => open(client, session, session === "full" ? 6 : 5)));
  await open(client, "source", 3);
  for (let n = 0; n < 12; n++) await client.call("task.update", { session_id: "source", next_step: `step ${n}` });
  await client.call("session.close", { session_id: "source" });
  await client.call("session.open", { session_id: "beside" });
  await daemon.kill("SIGTERM");
});
afterAll(() => base[Symbol.dispose]());

function baseCopy(): string {
  const data = storeFolder();
  cpSync(base.path, data, { recursive: true });
  return data;
}

interface Order {
  readonly failpoint: string;
  readonly passes: number;
  readonly delay_ms?: number;
  readonly unsafe?: object;
}

const faults = (order: Order) => ({ CONTEXTD_FAULTS: JSON.stringify(order) });
const callOf = ({ method, session, params }: Change): [string, JsonObject] => [
  method,
  { session_id: session, idempotency_key: "the change", ...params },
];

/** The answer, or null where there was none because the daemon was gone. */
async function answerOf(client: ContextdClient, method: string, params: JsonObject): Promise<JsonObject | null> {
  try {
    return await client.call(method, params);
  } catch (error) {
    if (error instanceof NoAnswerError) return null;
    throw error;
  }
}

/** Makes the call on a daemon that dies of the order; its answers. */
async function changeAndDie(data: string, change: Change, order: Order, way: Way): Promise<(JsonObject | null)[]> {
  await using daemon = await DaemonProcess.start({ data, env: faults(order) });
  const client = new ContextdClient({ url: daemon.url, attempts: 1 });
  const note = (text: string) => answerOf(client, "note.write", { session_id: "beside", text });
  const make = () => answerOf(client, ...callOf(change));
  if (way === "after other calls") {
    for (const text of ["one", "two"]) expect(await note(text)).not.toBeNull();
  }
  const made = way === "twice at once, beside another call" ? [make(), make(), note("three")] : [make()];
  const answers = await Promise.all(made);
  expect((await daemon.ended).signal, "the failpoint was reached").toBe("SIGKILL");
  return answers.slice(0, 2);
}

/** What the current window of a session and its newest checkpoint are, in one line. */
const standing = ({ current, last }: StoredWindows): string => `${current.join("+")} ${last?.id ?? "none"}`;

/** The same call is made again by the next daemon, twice: it takes effect once. Answers what came of it. */
async function complete(data: string, change: Change): Promise<{ answer: Json; stored: StoredWindows }> {
  await using daemon = await DaemonProcess.start({ data });
  const answer = await daemon.client.call<JsonObject>(...callOf(change));
  expect(await daemon.client.call(...callOf(change))).toEqual(answer);
  const { checkpoints } = await daemon.client.call<{ checkpoints: { checkpoint_id: string }[] }>("checkpoint.list", {
    session_id: change.session,
  });
  for (const { checkpoint_id } of checkpoints) {
    const got = await daemon.client.call<{ document: JsonObject }>("checkpoint.get", {
      session_id: change.session,
      checkpoint_id,
    });
    expect(readCheckpoint(got.document)).not.toHaveProperty("malformed");
  }
  // The agent goes on in the window that is current.
  const window = { session_id: change.session, window_id: change.window };
  await daemon.client.call("note.write", { ...window, text: "I go on." });
  await daemon.kill("SIGKILL");
  const { sessions, findings } = await judgeWindows(data);
  expect(findings).toEqual([]);
  return { answer, stored: sessions.get(change.session) as StoredWindows };
}

describe.each(FAILPOINTS)("killed at %s", (failpoint) => {
  // Each call in each way at each failpoint, or one way of each.
  const turn = FAILPOINTS.indexOf(failpoint);
  const cases = CHANGES.flatMap((change, at) =>
    WAYS.filter((_, n) => LONG || n === (turn + at) % WAYS.length).map((way) => ({ ...change, way })),
  );

  it.each(cases)("$method leaves one window, $way, and is completed once by its retry", async ({ way, ...change }) => {
    const before = await windowsBefore();
    const data = baseCopy();
    const order = { failpoint, passes: way === "after other calls" ? 3 : 1 };
    const answers = await changeAndDie(data, change, order, way);
    const { sessions, findings } = await judgeWindows(data);
    expect(findings).toEqual([]);
    const stored = sessions.get(change.session) as StoredWindows;
    const old = before.get(change.session) as StoredWindows;
    // The rest is as it was, and what was acknowledged beside it is there.
    for (const [id, windows] of sessions) if (id !== change.session) expect(windows).toEqual(before.get(id));

    const completed = await complete(data, change);
    // Either nothing of it, or all of it.
    expect([standing(old), standing(completed.stored)]).toContain(standing(stored));
    if (failpoint === "after_commit") expect(standing(stored)).toBe(standing(completed.stored));
    expect(completed.stored.current).toEqual([change.window]);
    const opens = change.method === "checkpoint.save" ? 0 : 1;
    expect(completed.stored.opened).toHaveLength(old.opened.length + opens);
    expect(completed.stored.checkpoints).toHaveLength(old.checkpoints.length + change.saves);
    for (const answer of answers) if (answer !== null) expect(completed.answer).toEqual(answer);
  });
});

/** Bytes of a text that deflates to about as much; a MiB of log is worth a checkpoint of SQLite's. */
const NOISE_BYTES = 64 * 1024;

describe("killed in SQLite's own checkpoint", () => {
  it.each([0, 1, 4])("windows that were acknowledged are there, %i ms after it began", async (delay_ms) => {
    const data = baseCopy();
    const acknowledged: { window: string; checkpoint: string }[] = [];
    {
      const order = { failpoint: "mid_checkpoint", passes: 1, delay_ms };
      await using daemon = await DaemonProcess.start({ data, env: faults(order) });
      const client = new ContextdClient({ url: daemon.url, attempts: 1 });
      for (let n = 0; n < 400; n++) {
        const text = randomBytes(n < 24 ? NOISE_BYTES : 16).toString("base64");
        if ((await answerOf(client, "context.append", { session_id: "asked", text, type: "note" })) === null) break;
        const answer = await answerOf(client, "window.open", { session_id: "asked", idempotency_key: `open ${n}` });
        if (answer === null) break;
        const { checkpoint_id } = answer["checkpoint"] as JsonObject;
        acknowledged.push({ window: answer["window_id"] as string, checkpoint: checkpoint_id as string });
      }
      expect((await daemon.ended).signal, "the failpoint was reached").toBe("SIGKILL");
    }
    const { sessions, findings } = await judgeWindows(data);
    expect(findings).toEqual([]);
    const { opened, checkpoints } = sessions.get("asked") as StoredWindows;
    expect(acknowledged.length).toBeGreaterThan(2);
    for (const { window, checkpoint } of acknowledged) {
      expect(opened).toContain(window);
      if (acknowledged.length <= 50) expect(checkpoints).toContain(checkpoint);
    }
    // At most the one that was under way is there besides.
    expect(opened.length).toBeLessThanOrEqual(acknowledged.length + 2);
    await using next = await DaemonProcess.start({ data });
    const { window_id } = await next.client.call<{ window_id: string }>("checkpoint.list", { session_id: "asked" });
    expect(window_id).toBe(opened.at(-1));
  });
});

describe("killed while the copies for people are written", () => {
  it.each([0, 1, 3])("each is a whole one, old or new, %i ms after the commit", async (delay_ms) => {
    const data = baseCopy();
    const copies = storeFolder();
    const env = { CONTEXTD_CROSS_WINDOW__STATE_FILE: join(copies, "state.json") };
    const file = () => readdirSync(copies).find((name) => /^state\.asked-.*\.json$/.test(name));
    {
      await using daemon = await DaemonProcess.start({ data, env });
      await daemon.client.call("checkpoint.save", { session_id: "asked" });
      await expect.poll(file, { timeout: 20_000 }).toBeDefined();
    }
    const order = { failpoint: "after_commit", passes: 1, delay_ms };
    {
      await using daemon = await DaemonProcess.start({ data, env: { ...env, ...faults(order) } });
      await answerOf(new ContextdClient({ url: daemon.url, attempts: 1 }), "window.open", { session_id: "asked" });
      expect((await daemon.ended).signal).toBe("SIGKILL");
    }
    const whole = () => JSON.parse(readFileSync(join(copies, file() ?? "state.json"), "utf8")) as JsonObject;
    expect(readCheckpoint(whole())).not.toHaveProperty("malformed");
    expect((await judgeWindows(data)).findings).toEqual([]);
    await using next = await DaemonProcess.start({ data, env });
    await next.client.call("task.update", { session_id: "asked", next_step: "Go on." });
    await next.client.call("checkpoint.save", { session_id: "asked" });
    await expect.poll(() => whole()["next_step"], { timeout: 20_000 }).toBe("Go on.");
  });
});

describe("the controls", () => {
  const [change] = CHANGES as readonly [Change];

  it("have half of a window's change, without transactions", async () => {
    const data = baseCopy();
    await changeAndDie(data, change, { failpoint: "mid_row", passes: 1, unsafe: { skipTransaction: true } }, "alone");
    expect((await judgeWindows(data)).findings).not.toEqual([]);
  });

  it("lose a window that was acknowledged, where the answer comes before the commit", async () => {
    const data = baseCopy();
    const order = { failpoint: "before_commit", passes: 1, delay_ms: 0, unsafe: { ackBeforeCommit: true } };
    const [answer] = await changeAndDie(data, change, order, "alone");
    const { sessions } = await judgeWindows(data);
    expect(sessions.get(change.session)?.current).toEqual(["full#1"]);
    expect(answer).toMatchObject({ window_id: change.window });
  });
});
