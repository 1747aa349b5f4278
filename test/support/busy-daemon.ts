import { setTimeout as pause } from "node:timers/promises";
import { subscribeEvents } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { DaemonProcess, startCommand } from "./daemon-process.ts";
import { PagingAgent, pageOfRows, withLlm } from "./llm-daemon.ts";
import { ADMIN_TOKEN, PushServer } from "./push-server.ts";
import { ScriptedLlm, type ScriptedRequest } from "./scripted-llm.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** Facts of its pages that a summary tells: some of them, so that fidelity has something to measure. */
const SUMMARY = "## Decisions\n- Page 3 is kept, because value_3_7 is the odd one.\n## Next step\n- Read on.";
const CONFIG = `
fidelity: { floor: 0 }
shadow:
  candidates:
    sliding: { eviction: { policy: sliding_window } }
`;

function answer({ system, user }: ScriptedRequest, index: number) {
  // One call in seven finds the model overloaded, and is made again.
  if (index % 7 === 3) return { fault: "status", status: 503 } as const;
  if (system.startsWith("You compress")) return SUMMARY;
  const questions = [...user.matchAll(/^Question (\d+):/gm)].map(([, number]) => Number(number));
  return JSON.stringify({ answers: questions.map((question) => ({ question, score: 1 })) });
}

/**
 * A daemon that everything happens to which a dashboard shows, again and again until it is stopped: the demo's agents, one
 * whose folds a model writes, providers that refuse and report, calls that are wrong, reloads, subscribers, shadow mode.
 */
export class BusyDaemon implements AsyncDisposable {
  readonly daemon: DaemonProcess;
  readonly #stopped = new AbortController();
  readonly #work: Promise<unknown>;
  readonly #last: (() => unknown)[];

  private constructor(daemon: DaemonProcess, last: (() => unknown)[]) {
    this.daemon = daemon;
    this.#last = last;
    const { signal } = this.#stopped;
    this.#work = Promise.all([this.#demos(signal), this.#agents(signal), this.#listener(signal)]);
    // Told by `failed`, or when it is stopped.
    this.#work.catch(() => {});
  }

  static async start(): Promise<BusyDaemon> {
    const folder = temporaryFolder();
    const llm = await ScriptedLlm.start(answer);
    const grafana = await PushServer.start();
    const live = { url: grafana.url, token_file: folder.write("token", ADMIN_TOKEN) };
    const daemon = await DaemonProcess.start({
      data: `${folder.path}/data`,
      args: [
        "--config",
        folder.write("contextd.yaml", `${CONFIG}\ntelemetry: ${JSON.stringify({ grafana_live: live })}\n`),
      ],
      env: withLlm(llm, "openai-chat", { model: "gpt-4o-mini" }),
    });
    return new BusyDaemon(daemon, [
      () => daemon[Symbol.asyncDispose](),
      () => llm[Symbol.asyncDispose](),
      () => grafana[Symbol.asyncDispose](),
      () => folder[Symbol.dispose](),
    ]);
  }

  /** Rejects when the work does; never resolves before it is stopped. */
  get failed(): Promise<unknown> {
    return this.#work;
  }

  async #demos(signal: AbortSignal): Promise<void> {
    for (let seed = 1; !signal.aborted; seed++) {
      const args = ["--turns", "16", "--sessions", "6", "--speed", "4", "--seed", String(seed)];
      const demo = startCommand(["demo", "--url", this.daemon.url, ...args]);
      const stop = () => demo.child.kill("SIGKILL");
      signal.addEventListener("abort", stop, { once: true });
      await demo.ended;
      signal.removeEventListener("abort", stop);
    }
  }

  async #agents(signal: AbortSignal): Promise<void> {
    for (let round = 0; !signal.aborted; round++) {
      this.daemon.signal("SIGHUP");
      await this.#mistakes();
      await this.#reporting(round);
      await this.#folding(round);
      // Prometheus must see one round before the next, as it would in a fleet.
      await pause(200);
    }
  }

  /** An agent whose context a model folds, and that reads a page again which was taken out. */
  async #folding(round: number): Promise<void> {
    const agent = await new PagingAgent(this.daemon.client, { id: `folding-${round}` }).open();
    for (let step = 0; step < 12; step++) await agent.step();
    agent.steps = 0;
    for (let step = 0; step < 3; step++) await agent.step();
    await agent.call("checkpoint.save", {});
    await agent.call("session.close");
  }

  /** An agent whose provider reports its usage and its window, and refuses a prompt. */
  async #reporting(round: number): Promise<void> {
    const { client } = this.daemon;
    const session_id = `reporting-${round}`;
    const model = `model-${round % 5}`;
    await client.mutate("session.open", { session_id, model, message_format: "anthropic" });
    for (let turn = 0; turn < 4; turn++) {
      const messages: JsonObject[] = [{ role: "user", content: pageOfRows(turn, 20) }];
      const window_tokens = 100_000 + 1_000 * round;
      await client.mutate("on_turn_start", { session_id, messages, model_reported: { window_tokens } });
      const { raw_tokens } = await client.call<{ raw_tokens: number }>("context.get", { session_id, include: [] });
      const half = Math.floor(raw_tokens / 2);
      await client.mutate("on_turn_end", {
        session_id,
        message: { role: "assistant", content: [{ type: "text", text: "Read." }] },
        usage: { input_tokens: half, cache_read_input_tokens: half + 3, output_tokens: 3 },
      });
    }
    await client.mutate("session.close", { session_id });
  }

  async #mistakes(): Promise<void> {
    const { client } = this.daemon;
    const session_id = "mistaken";
    const refused = (method: string, params: JsonObject) => client.call(method, params).catch(() => {});
    await refused("on_turn_start", { session_id: "not-there" });
    await client.mutate("session.open", { session_id, resume: true });
    await refused("content.recall", { session_id, handle: "zzzzzz" });
  }

  async #listener(signal: AbortSignal): Promise<void> {
    for await (const _event of subscribeEvents(this.daemon.url, {}, { signal })) if (signal.aborted) break;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await this.#work.catch(() => {});
    for (const end of this.#last) await end();
  }
}
