import { describe, expect, it } from "vitest";
import { ContextdClient, NoAnswerError, RpcError } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { effectText, expectNothingLost, HookOracle, type Verdict } from "../support/hook-oracle.ts";
import { LossyProxy } from "../support/lossy-proxy.ts";
import { storeFolder } from "../support/store-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const HOOKS = LONG ? 100_000 : 5_000;
const CONTROL_HOOKS = 300;
/** The daemon is killed and started again each time that this share of the hooks has been made. */
const RESTART_EVERY = 0.3;
const LOST_SHARE = 0.3;
const CALLERS = 16;
const MOST_ATTEMPTS = 5;
/** Share of the attempts that are made twice at once. */
const TWICE_SHARE = 0.1;
/** Hooks of one session; several callers share it. */
const HOOKS_PER_SESSION = 250;
/** Answered hooks that are made once more, after the last restart. */
const AGAIN = 300;

interface Hook {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

function hookOf(n: number): Hook {
  const id = `h${n}`;
  const base = { session_id: sessionOf(n), idempotency_key: id };
  const text = effectText(id, "some words");
  if (n % 4 === 0) return { id, method: "context.append", params: { ...base, text } };
  if (n % 4 === 1) {
    return { id, method: "on_turn_end", params: { ...base, message: { role: "assistant", content: text } } };
  }
  // A reply with the whole context is made anew for a retry, as it was then.
  const reply = n % 40 === 3 ? "messages" : "decision";
  return { id, method: "on_turn_start", params: { ...base, reply, messages: [{ role: "user", content: text }] } };
}

function sessionOf(n: number): string {
  // Two sessions at a time.
  return `s${2 * Math.floor(n / HOOKS_PER_SESSION / 2) + (n % 2)}`;
}

function openOf(n: number): Hook {
  const id = `open-${sessionOf(n)}`;
  return {
    id,
    method: "session.open",
    params: { session_id: sessionOf(n), idempotency_key: id, model: "gpt-4o", system: effectText(id) },
  };
}

/** Callers that make every hook once, however often that takes, over a connection that loses replies. */
class Campaign {
  readonly oracle = new HookOracle();
  readonly answers = new Map<string, JsonObject>();
  /** Ids whose answers differed from one attempt to another. */
  readonly changed: string[] = [];
  attempts = 0;
  readonly #data: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #unanswered: Hook[] = [];
  #daemon: DaemonProcess;
  #proxy: LossyProxy;
  #up: Promise<unknown> = Promise.resolve();

  private constructor(data: string, env: Readonly<Record<string, string>>, daemon: DaemonProcess, proxy: LossyProxy) {
    this.#data = data;
    this.#env = env;
    this.#daemon = daemon;
    this.#proxy = proxy;
  }

  static async start(env: Readonly<Record<string, string>> = {}): Promise<Campaign> {
    const data = storeFolder();
    const daemon = await DaemonProcess.start({ data, env });
    return new Campaign(data, env, daemon, await LossyProxy.start(daemon.url, LOST_SHARE));
  }

  get lost(): number {
    return this.#proxy.lost;
  }

  /** Straight to the daemon that runs now. */
  get client(): ContextdClient {
    return this.#daemon.client;
  }

  async make(hooks: number): Promise<void> {
    let next = 0;
    let nextRestart = Math.ceil(hooks * RESTART_EVERY);
    const opened = new Map<string, Promise<void>>();
    const caller = async (): Promise<void> => {
      const client = new ContextdClient({ url: this.#proxy.url, attempts: 1, deadlineMs: 10_000 });
      for (let n = next++; n < hooks; n = next++) {
        if (n >= nextRestart) {
          nextRestart += Math.ceil(hooks * RESTART_EVERY);
          this.#up = this.restart();
        }
        await this.#up;
        const session = sessionOf(n);
        let open = opened.get(session);
        if (open === undefined) {
          open = this.#insist(openOf(n));
          opened.set(session, open);
        }
        await open;
        await this.#attempt(client, hookOf(n), 1 + Math.floor(Math.random() * MOST_ATTEMPTS));
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    await this.#up;
  }

  /** Kills the daemon, with calls in flight, and starts another on its data. */
  async restart(): Promise<void> {
    await this.#daemon.kill("SIGKILL");
    this.#daemon = await DaemonProcess.start({ data: this.#data, env: this.#env });
    this.#proxy.target = this.#daemon.url;
  }

  /** Makes the hooks again that never got an answer, until each has one. */
  async settle(): Promise<void> {
    for (const hook of this.#unanswered.splice(0)) await this.#insist(hook);
  }

  /** A hook that was answered, once more: the answer must be the same. */
  async again(hook: Hook): Promise<void> {
    await this.#insist(hook);
  }

  async end(): Promise<Verdict> {
    await this.#daemon.kill("SIGKILL");
    await this.#proxy[Symbol.asyncDispose]();
    return this.oracle.judge(this.#data);
  }

  async #attempt(client: ContextdClient, hook: Hook, attempts: number): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const copies = Math.random() < TWICE_SHARE ? 2 : 1;
      const answered = await Promise.all(Array.from({ length: copies }, () => this.#call(client, hook)));
      if (answered.includes(true)) return;
    }
    this.#unanswered.push(hook);
  }

  async #insist(hook: Hook): Promise<void> {
    while (!(await this.#call(this.client, hook))) await this.#up;
  }

  /** False when no answer came. */
  async #call(client: ContextdClient, { id, method, params }: Hook): Promise<boolean> {
    this.attempts++;
    try {
      const answer = await client.call(method, params);
      const earlier = this.answers.get(id);
      if (earlier === undefined) this.answers.set(id, answer);
      else if (JSON.stringify(earlier) !== JSON.stringify(answer)) this.changed.push(id);
      this.oracle.note(id, "acknowledged", answer);
      return true;
    } catch (error) {
      this.oracle.note(id, error instanceof NoAnswerError ? "unanswered" : "refused");
      if (error instanceof NoAnswerError) return false;
      throw error;
    }
  }
}

describe(`${HOOKS} hooks over a connection that loses three replies in ten`, () => {
  it("have one effect each, and the same answer however often they are made", async ({ annotate }) => {
    const campaign = await Campaign.start();
    await campaign.make(HOOKS);
    await campaign.settle();
    await campaign.restart();
    for (let n = 0; n < HOOKS; n += Math.ceil(HOOKS / AGAIN)) await campaign.again(hookOf(n));
    await expectConflicts(campaign.client);
    const { attempts, lost } = campaign;
    const verdict = await campaign.end();
    const { calls, stored } = verdict;
    await annotate(`${calls} calls, ${attempts} attempts, ${lost} replies lost, ${stored} effects`);

    expectNothingLost(verdict);
    expect(campaign.changed).toEqual([]);
    expect(verdict).toMatchObject({ refused: 0, unanswered: 0, calls: stored });
    expect(lost).toBeGreaterThan(HOOKS * 0.2);
  });
});

/** A key that was used is good for that call alone, and for its very parameters. */
async function expectConflicts(client: ContextdClient): Promise<void> {
  for (let n = 0; n < 40; n++) {
    const { method, params } = hookOf(n);
    const other = hookOf(n + 2);
    const changes = [
      { method, params: { ...params, expected_revision: 0 } },
      { method: other.method, params: { ...other.params, idempotency_key: params["idempotency_key"] as string } },
    ];
    for (const changed of changes) {
      const error = await client.call(changed.method, changed.params).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RpcError);
      expect((error as RpcError).reason).toBe("idempotency_conflict");
    }
  }
}

describe("the control, a daemon that keeps idempotency keys in memory", () => {
  it("does again what it did before its restart", async () => {
    const campaign = await Campaign.start({ CONTEXTD_FAULTS: '{"unsafe":{"dedupInMemory":true}}' });
    await campaign.make(CONTROL_HOOKS);
    await campaign.restart();
    for (let n = 0; n < CONTROL_HOOKS; n += 10) await campaign.again(hookOf(n));
    expect((await campaign.end()).doubled.length).toBeGreaterThan(0);
  });
});

describe("a session that is opened without an id", () => {
  it("is one session, however often the call is made with its idempotency key", async () => {
    const data = storeFolder();
    await using daemon = await DaemonProcess.start({ data });
    const open = () => daemon.client.call("session.open", { idempotency_key: "open-1", model: "gpt-4o" });
    const [first, second] = await Promise.all([open(), open()]);
    await daemon.kill("SIGKILL");
    await using next = await DaemonProcess.start({ data });
    const third = await next.client.call("session.open", { idempotency_key: "open-1", model: "gpt-4o" });
    expect(second).toEqual(first);
    expect(third).toEqual(first);
    expect((await next.client.call("session.list"))["total"]).toBe(1);
  });
});
