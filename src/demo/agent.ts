import type { ContextdClient } from "../client/index.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Zone } from "../model/zone.ts";
import type { CastMember } from "./cast.ts";
import type { Desk } from "./desk.ts";
import type { Explorer } from "./explorer.ts";
import { Provider } from "./provider.ts";
import type { Recorder } from "./recorder.ts";
import type { Outcome, Repository } from "./repository.ts";
import { isOwnTool, ownToolsOf, runStep, type Step, toolDefinitions } from "./tools.ts";
import { type ToolCall, type Wire, wires } from "./wire.ts";

/** What the demo tells while it runs. Tokens are whole, utilization a share of the window. */
export type DemoEvent = { readonly sessionId: string } & (
  | { readonly kind: "opened"; readonly model: string; readonly maxTokens: number; readonly profile: string }
  | {
      readonly kind: "zone";
      readonly from: Zone;
      readonly to: Zone;
      readonly utilization: number;
      readonly tokens: number;
    }
  | { readonly kind: "pass"; readonly action: string; readonly edits: number; readonly tokensFreed: number }
  | { readonly kind: "cut"; readonly tool: string; readonly tokensBefore: number; readonly tokensAfter: number }
  | { readonly kind: "overflow"; readonly action: string; readonly attempt: number; readonly tokens: number }
  | { readonly kind: "closed"; readonly turns: number; readonly tokensFreed: number }
  | { readonly kind: "failed"; readonly reason: string }
);

/** How one session went. */
export interface AgentReport {
  readonly sessionId: string;
  readonly member: CastMember;
  readonly turns: number;
  readonly peak: number;
  /** Zones the session was in, in the order of first entry. */
  readonly zones: readonly Zone[];
  readonly passes: number;
  readonly tokensFreed: number;
  readonly overflows: number;
  readonly recalls: number;
  /** `open`: it is finished, and its session was left open. */
  readonly outcome: "finished" | "open" | "interrupted" | "failed";
}

export interface AgentDependencies {
  readonly client: ContextdClient;
  readonly desk: Desk;
  readonly repository: Repository;
  readonly explorer: Explorer;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  /** Resolves when the turn, counted from 1, is due; rejects when the signal is aborted. */
  readonly due: (turn: number) => Promise<void>;
  readonly tell: (event: DemoEvent) => void;
  /** Leaves the session open when it is finished. */
  readonly keep: boolean;
}

interface Reading {
  readonly tokens: number;
  readonly utilization: number;
  readonly zone: Zone;
}

interface TurnReply {
  readonly action: string;
  readonly reading: Reading;
  readonly applied: readonly { readonly tokens_before: number; readonly tokens_after: number }[];
  readonly messages?: readonly JsonObject[];
}

interface ResultReply {
  readonly reading: Reading;
  readonly content: Json;
  readonly action: string;
  readonly tokens_before: number;
  readonly tokens_after: number;
}

const SYSTEM =
  "You are an agent that works in the repository of contextd, read only. Use your tools, and say what you learn with " +
  "the names of files.";
const INTERJECTION = "Good so far. Name the file of each thing that you say, and go on.";
const INTERJECTION_EVERY = 11;
/** Time that closing a session may take when the demo is interrupted, ms. */
const CLOSE_MS = 3_000;

/** A session from its opening to its close, through the four hooks. */
export class DemoAgent {
  readonly #sessionId: string;
  readonly #member: CastMember;
  readonly #deps: AgentDependencies;
  readonly #wire: Wire;
  readonly #provider: Provider;
  /** Everything the agent holds, as it was told to hold it; sent where it sends its history. */
  readonly #history: JsonObject[] = [];
  /** Messages that the daemon has not got yet. */
  #fresh: JsonObject[] = [];
  /** Handles that the managed context shows. */
  #handles: readonly string[] = [];
  #calls = 0;
  #turns = 0;
  #zone: Zone = "green";
  readonly #zones = new Set<Zone>(["green"]);
  #peak = 0;
  #passes = 0;
  #tokensFreed = 0;
  #overflows = 0;

  constructor(sessionId: string, member: CastMember, dependencies: AgentDependencies) {
    this.#sessionId = sessionId;
    this.#member = member;
    this.#deps = dependencies;
    this.#wire = wires[member.format];
    this.#provider = new Provider(member.format, dependencies.client);
  }

  /** Never rejects: what went wrong is told and in the report. The session is closed, unless it is to be kept. */
  async run(turns: number): Promise<AgentReport> {
    const { signal, tell, keep } = this.#deps;
    let outcome: AgentReport["outcome"] = "finished";
    try {
      await this.#open();
      for (let turn = 1; turn <= turns; turn++) {
        await this.#deps.due(turn);
        await this.#turn(turn, turn === turns);
      }
      if (keep) outcome = "open";
      else await this.#close(outcome);
    } catch (error) {
      outcome = signal.aborted ? "interrupted" : "failed";
      if (outcome === "failed") tell({ ...this.#of("failed"), reason: (error as Error).message });
      // It may never have been opened, or the daemon may be gone: what matters has been told.
      await this.#close(outcome).catch(() => undefined);
    }
    return {
      sessionId: this.#sessionId,
      member: this.#member,
      turns: this.#turns,
      peak: this.#peak,
      zones: [...this.#zones],
      passes: this.#passes,
      tokensFreed: this.#tokensFreed,
      overflows: this.#overflows,
      recalls: this.#deps.desk.recalls,
      outcome,
    };
  }

  async #open(): Promise<void> {
    const { agent, profile, model, format, window, goal, settings } = this.#member;
    const systemBeside = format === "anthropic";
    const { reading } = await this.#mutate<{ reading: Reading }>("session.open", {
      agent,
      profile,
      model,
      message_format: format,
      max_context_tokens: window,
      task: { goal, success_criteria: ["Each statement names a file."], constraints: ["Nothing is changed."] },
      tools: toolDefinitions(ownToolsOf(this.#member)).map((tool) => this.#wire.tool(tool)),
      ...(systemBeside ? { system: SYSTEM } : {}),
      ...(settings === undefined ? {} : { settings }),
    });
    this.#deps.tell({ ...this.#of("opened"), model, profile, maxTokens: window });
    this.#watch(reading);
    this.#deps.recorder.say("system", SYSTEM);
    if (!systemBeside) this.#add({ role: "system", content: SYSTEM });
    this.#say(goal);
  }

  async #turn(turn: number, isLast: boolean): Promise<void> {
    const { explorer, recorder } = this.#deps;
    const { overflowAt, reportsEvery, sendsHistory } = this.#member;
    if (turn > 1 && turn % INTERJECTION_EVERY === 0) this.#say(INTERJECTION);
    const reply = await this.#mutate<TurnReply>(
      "on_turn_start",
      sendsHistory ? { history: this.#history } : { messages: this.#fresh },
    );
    this.#fresh = [];
    this.#turns = turn;
    this.#takeTurn(reply);
    const cachedShare = this.#provider.request(reply.messages ?? []);
    if (turn === overflowAt) await this.#overflow(reply.reading);

    const { text, steps } = explorer.answer(turn, isLast, this.#handles);
    const calls = steps.map(({ tool, args }): ToolCall => ({ id: `call_${++this.#calls}`, name: tool, args }));
    const message = this.#wire.assistant(text, calls);
    const reports = reportsEvery !== undefined && turn % reportsEvery === 0;
    const ended = await this.#mutate<{ reading: Reading }>("on_turn_end", {
      message,
      stop_reason: calls.length === 0 ? "stop" : "tool_calls",
      ...(reports ? { usage: await this.#provider.usage(this.#sessionId, cachedShare, message) } : {}),
    });
    this.#watch(ended.reading);
    this.#history.push(message);
    recorder.answer(text, calls);
    await this.#work(steps, calls);
  }

  /** Makes the calls of an answer, all at once, and gives their results to the daemon as they come. */
  async #work(steps: readonly Step[], calls: readonly ToolCall[]): Promise<void> {
    const { explorer, recorder, tell } = this.#deps;
    const outcomes = await Promise.all(steps.map((step) => this.#make(step)));
    const results: { callId: string; content: Json }[] = [];
    for (const [index, step] of steps.entries()) {
      const { id, name } = calls[index] as ToolCall;
      const outcome = outcomes[index] as Outcome;
      const told = await this.#mutate<ResultReply>("on_tool_result", {
        tool_call_id: id,
        tool_name: name,
        content: outcome.text,
        ...(outcome.isError ? { is_error: true } : {}),
      });
      this.#watch(told.reading);
      if (told.action !== "kept") {
        const [tokensBefore, tokensAfter] = [told.tokens_before, told.tokens_after];
        tell({ ...this.#of("cut"), tool: name, tokensBefore, tokensAfter });
      }
      results.push({ callId: id, content: told.content });
      recorder.result(id, name, outcome.text);
      explorer.observe(step, outcome);
    }
    if (results.length > 0) this.#history.push(...this.#wire.results(results));
  }

  #make({ tool, args }: Step): Promise<Outcome> {
    const { repository, desk } = this.#deps;
    return isOwnTool(tool) ? desk.run(tool, args) : runStep(repository, tool, args);
  }

  /** The provider refuses the context: whoever serves the model has a smaller window than the agent was told. */
  async #overflow({ tokens }: Reading): Promise<void> {
    const reply = await this.#mutate<TurnReply & { attempt: number }>("on_overflow", {
      provider_error: this.#wire.overflow(tokens, Math.floor(tokens * 0.95)),
    });
    this.#overflows++;
    const { action, attempt, reading, messages } = reply;
    this.#deps.tell({ ...this.#of("overflow"), action, attempt, tokens: reading.tokens });
    this.#watch(reading);
    if (messages) this.#provider.request(messages);
  }

  #takeTurn({ action, applied, reading, messages }: TurnReply): void {
    const tokensFreed = applied.reduce((sum, edit) => sum + edit.tokens_before - edit.tokens_after, 0);
    if (tokensFreed > 0) {
      this.#passes++;
      this.#tokensFreed += tokensFreed;
      this.#deps.tell({ ...this.#of("pass"), action, edits: applied.length, tokensFreed });
    }
    this.#watch(reading);
    if (this.#member.recalls) this.#handles = this.#handlesIn(messages ?? []);
  }

  #handlesIn(messages: readonly JsonObject[]): string[] {
    const shown = JSON.stringify(messages).match(HANDLE) ?? [];
    return [...new Set(shown)].filter((handle) => this.#deps.desk.mayRecall(handle)).slice(-HANDLES_KEPT);
  }

  #watch({ zone, utilization, tokens }: Reading): void {
    this.#peak = Math.max(this.#peak, utilization);
    this.#zones.add(zone);
    if (zone === this.#zone) return;
    this.#deps.tell({ ...this.#of("zone"), from: this.#zone, to: zone, utilization, tokens });
    this.#zone = zone;
  }

  async #close(outcome: AgentReport["outcome"]): Promise<void> {
    const closed = await this.#deps.client.mutate<{ turns: number; tokens_freed: number }>(
      "session.close",
      { session_id: this.#sessionId, reason: outcome },
      outcome === "finished" ? {} : { deadlineMs: CLOSE_MS },
    );
    this.#tokensFreed = closed.tokens_freed;
    this.#deps.tell({ ...this.#of("closed"), turns: closed.turns, tokensFreed: closed.tokens_freed });
  }

  #say(text: string): void {
    this.#deps.recorder.say("user", text);
    this.#add({ role: "user", content: text });
  }

  #add(message: JsonObject): void {
    this.#fresh.push(message);
    this.#history.push(message);
  }

  #mutate<Result>(method: string, params: JsonObject): Promise<Result> {
    const { client, signal } = this.#deps;
    return client.mutate<Result>(method, { session_id: this.#sessionId, ...params }, { signal });
  }

  #of<Kind extends DemoEvent["kind"]>(kind: Kind): { readonly kind: Kind; readonly sessionId: string } {
    return { kind, sessionId: this.#sessionId };
  }
}

const HANDLE = /\bh-[0-9a-f]{12}\b/g;
/** Handles that an agent remembers: those shown last. */
const HANDLES_KEPT = 20;
