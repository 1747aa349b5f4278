import { ContextdClient, NoAnswerError, RpcError } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { effectText, type HookOracle } from "./hook-oracle.ts";

export interface HookClientOptions {
  /** Makes the ids of its calls and sessions its own. */
  readonly name: string;
  /**
   * What it does about a call that got no answer: makes it again with the same idempotency key until there is one, or
   * goes on with the next.
   */
  readonly unanswered: "retry" | "abandon";
  /** Calls of one session before the next is opened. */
  readonly callsPerSession: number;
}

interface PlannedCall {
  readonly id: string;
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * An agent that makes one hook after the other, each with an idempotency key and a text that tells which call brought
 * it, and tells an oracle what was answered. It lives through daemons: `work` ends when the one it talks to is gone.
 */
export class HookClient {
  readonly #options: HookClientOptions;
  readonly #oracle: HookOracle;
  #session = 0;
  #calls = 0;
  /** Made and not answered, to be made again first. */
  #pending: PlannedCall | null = null;
  #plan: Iterator<PlannedCall>;

  constructor(options: HookClientOptions, oracle: HookOracle) {
    this.#options = options;
    this.#oracle = oracle;
    this.#plan = this.#nextSession();
  }

  /** Calls until one gets no answer, or until the daemon drains. `onAnswer` is told of each answer. */
  async work(url: string, onAnswer: () => void = () => {}): Promise<void> {
    const client = new ContextdClient({ url, attempts: 1, deadlineMs: 10_000 });
    for (;;) {
      const call = this.#pending ?? this.#next();
      this.#pending = null;
      try {
        this.#oracle.note(call.id, "acknowledged", await client.call(call.method, call.params));
        onAnswer();
      } catch (error) {
        if (error instanceof NoAnswerError) {
          this.#oracle.note(call.id, "unanswered");
          if (this.#options.unanswered === "retry" || call.method === "session.open") this.#pending = call;
          return;
        }
        if (!(error instanceof RpcError)) throw error;
        if (error.reason === "draining") {
          // Nothing of it took effect, so it may be made again.
          this.#pending = call;
          return;
        }
        // The daemon knows less of the session than it has acknowledged: the oracle tells. Another session is as good.
        this.#oracle.note(call.id, "refused");
        this.#plan = this.#nextSession();
      }
    }
  }

  #next(): PlannedCall {
    let next = this.#plan.next();
    if (next.done) {
      this.#plan = this.#nextSession();
      next = this.#plan.next();
    }
    return next.value as PlannedCall;
  }

  *#nextSession(): Generator<PlannedCall> {
    const { name, unanswered, callsPerSession } = this.#options;
    const session = `${name}-${++this.#session}`;
    const planned = (method: string, params: (id: string) => JsonObject): PlannedCall => {
      const id = `${name}.${++this.#calls}`;
      return { id, method, params: { session_id: session, idempotency_key: id, ...params(id) } };
    };
    yield planned("session.open", (id) => ({ model: "gpt-4o", system: effectText(id), resume: true }));
    // One that goes on after a call whose fate it does not know must not build on it: it makes no tool calls.
    const turn = unanswered === "retry" ? WITH_TOOLS : WITHOUT_TOOLS;
    for (let made = 0; made < callsPerSession; made++) {
      const [method, params] = turn[made % turn.length] as Step;
      yield planned(method, (id) => params(id, `${session}.${Math.floor(made / turn.length)}`));
    }
    if (unanswered === "retry") yield planned("session.close", (id) => ({ reason: effectText(id) }));
  }
}

type Step = readonly [method: string, params: (id: string, call: string) => JsonObject];

const start: Step = [
  "on_turn_start",
  (id) => ({ messages: [{ role: "user", content: effectText(id, "look at it") }], reply: "decision" }),
];
const append: Step = ["context.append", (id) => ({ text: effectText(id, "remember this") })];

const WITHOUT_TOOLS: readonly Step[] = [
  start,
  append,
  ["on_turn_end", (id) => ({ message: { role: "assistant", content: effectText(id, "done") } })],
];

const WITH_TOOLS: readonly Step[] = [
  start,
  [
    "on_turn_end",
    (id, call) => ({
      message: {
        role: "assistant",
        content: effectText(id, "I read it"),
        tool_calls: [{ id: call, type: "function", function: { name: "read_file", arguments: "{}" } }],
      },
    }),
  ],
  [
    "on_tool_result",
    (id, call) => ({ tool_call_id: call, tool_name: "read_file", content: effectText(id, "line\n".repeat(20)) }),
  ],
  append,
];
