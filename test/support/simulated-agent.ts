import { messageFormats } from "../../src/messages/index.ts";
import { ContextdError } from "../../src/model/errors.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { textOf } from "../../src/model/part.ts";
import type { Setup, Step, Text, Turn } from "./agent-run.ts";
import { asking, inputOf, resultOf, saying } from "./agent-words.ts";
import { applyPatch, type HandedContext, type PatchOperation } from "./handed-context.ts";
import type { Params, TestManager } from "./manager.ts";
import { wire } from "./wire-messages.ts";

export interface Observers {
  /** The agent is handed a context: the provider gets it as it is. */
  context?(context: HandedContext, reply: TurnReply | null): void | Promise<void>;
}

export type TurnReply = Awaited<ReturnType<TestManager["call"]>> & {
  readonly revision: number;
  readonly reading: { readonly tokens: number; readonly max_tokens: number; readonly zone: string };
  readonly advice: readonly { readonly kind?: unknown }[];
  readonly applied: readonly { readonly handle?: unknown; readonly block_id?: unknown }[];
};

/** Refusals that a run may meet by its own doing: a strict budget. */
const EXPECTED = new Set(["budget_exceeded"]);
/** What is asked back may be there already, say nothing, or be too large. */
const RESTORE_REFUSED = new Set(["budget_exceeded", "invalid_params"]);

/**
 * Plays an AgentRun against a manager, as a real agent loop would: one that breaks none of its provider's rules by
 * itself. It remembers what it said, for tests to compare with what it is handed.
 */
export class SimulatedAgent {
  readonly id = "run";
  readonly setup: Setup;
  host: TestManager;
  /** Texts of all parts that were sent. */
  readonly said = new Set<string>();
  /** JSON of all thinking that was sent. */
  readonly thought = new Set<string>();
  readonly handles: string[] = [];
  /** Pinned blocks and the state they had then. */
  readonly pinned = new Map<string, string>();
  /** The agent's own list changed otherwise than by growing. */
  rewrote = false;
  /** The system prompt and the task as they were said. */
  system: string | null = null;
  task: JsonObject | null = null;
  handed: HandedContext | null = null;
  revision = 0;
  readonly #observers: Observers;
  /** The agent's list, when it tells by history; else what was not told yet. */
  #list: JsonObject[] = [];
  /** A user's message from before the first turn: then it is the task. */
  #interjected: JsonObject | null = null;
  /** Results that go with the next turn's messages. */
  #untoldResults: JsonObject[] = [];
  #calls = 0;
  #turns = 0;
  #answered = false;

  constructor(host: TestManager, setup: Setup, observers: Observers = {}) {
    this.host = host;
    this.setup = setup;
    this.#observers = observers;
  }

  get #telling() {
    return this.setup.telling;
  }

  get #format() {
    return messageFormats[this.setup.format];
  }

  /** A strict budget may refuse the system prompt: then the agent goes without one. */
  async open(): Promise<void> {
    const { system } = this.setup;
    const text = system === null ? null : this.#say(system, 0.1);
    const reply = (await this.#tolerated(this.#opened(text))) ?? (await this.#opened(null));
    this.revision = reply.revision;
  }

  #opened(system: string | null) {
    const { setup } = this;
    this.system = system;
    return this.host.call("session.open", {
      session_id: this.id,
      model: setup.model,
      message_format: setup.format,
      max_context_tokens: setup.window,
      ...(system === null ? {} : { system }),
      tools: setup.tools.map((name) => wire[setup.format].tool(name)),
      settings: {
        eviction: {
          policy: setup.policy,
          keep_recent_units: setup.keepRecentUnits,
          target_utilization: setup.targetUtilization,
          min_tokens_freed: setup.minTokensFreed,
          merge: { threshold: setup.mergeThreshold },
        },
        ...(setup.strict ? { budget: { enforcement: "strict" } } : {}),
      },
    });
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case "turn":
        return this.#turn(step);
      case "remember": {
        if (this.#untoldResults.length > 0) return;
        const text = this.#say(step.text);
        await this.#append({ text, type: step.type, pin: step.pin });
        return;
      }
      case "interject": {
        if (this.#untoldResults.length > 0 || this.#telling !== "messages") return;
        const message = this.#sent(wire[this.setup.format].user(this.#say(step.text)));
        const taken = await this.#append({ messages: [message], pin: step.pin });
        if (taken) this.task ??= message;
        if (taken) this.#interjected ??= message;
        return;
      }
      case "pin":
      case "unpin": {
        const block = await this.#blockAt(step.at);
        // Only the ledger is a summary here, and it takes no pin; nor does the standing message.
        if (!block || block.type === "summary" || (await this.#isStanding(block.block_id))) return;
        await this.host.call(step.kind === "pin" ? "context.pin" : "context.unpin", {
          session_id: this.id,
          block_ids: [block.block_id],
        });
        if (step.kind === "pin") this.pinned.set(block.block_id, block.state);
        else this.pinned.delete(block.block_id);
        return;
      }
      case "recall": {
        const handle = this.handles[step.at % Math.max(1, this.handles.length)];
        if (handle !== undefined) await this.recall(handle);
        return;
      }
      case "restore":
        return this.#restore(step.at);
      case "configure":
        await this.host.call("session.configure", { session_id: this.id, settings: step.settings });
        return;
      case "look":
        return this.#look(step.what, step.at);
      case "restart":
        this.host = await this.host.restarted();
        return;
      case "instruct":
        return this.#instruct(step.text);
      case "rewrite":
        return this.#rewrite(step.from, step.count, step.summary);
    }
  }

  async recall(handle: string): Promise<string> {
    const reply = await this.host.call("content.recall", { session_id: this.id, handle });
    return reply.content;
  }

  /** Asks for something back, as a person may at any moment: also between calls and their results. */
  async #restore(at: number): Promise<void> {
    const { edits } = await this.host.session(this.id);
    const id = [...edits.keys()][at % Math.max(1, edits.size)];
    if (id === undefined) return;
    const asked = this.host.call("context.restore", { session_id: this.id, block_id: id });
    const reply = await this.#tolerated(asked, RESTORE_REFUSED);
    if (reply) this.pinned.set(reply.block_id, "whole");
  }

  /** The whole context as `context.get` shows it. */
  async context(): Promise<HandedContext> {
    const reply = await this.host.call("context.get", { session_id: this.id, include: ["messages"] });
    return {
      ids: reply.message_ids ?? [],
      messages: reply.messages as JsonObject[],
      ...(reply.system === undefined ? {} : { system: reply.system }),
    };
  }

  #say(text: Text, most = 1): string {
    return saying(text, this.setup.window, most);
  }

  /** Remembers what a message says, and hands it on. */
  #sent(message: JsonObject): JsonObject {
    const parsed = JSON.parse(JSON.stringify(message)) as JsonObject;
    for (const part of this.#format.split(parsed, "message").parts) {
      this.said.add(textOf(part));
      if (part.kind === "thinking") this.thought.add(JSON.stringify(part.wire));
    }
    return parsed;
  }

  async #append(params: Params): Promise<boolean> {
    if (typeof params["text"] === "string") this.said.add(params["text"]);
    const reply = await this.#tolerated(this.host.call("context.append", { session_id: this.id, ...params }));
    if (reply && params["pin"] === true) for (const id of reply.block_ids) this.pinned.set(id, "whole");
    return reply !== null;
  }

  async #tolerated<T>(call: Promise<T>, expected: ReadonlySet<string> = EXPECTED): Promise<T | null> {
    try {
      return await call;
    } catch (error) {
      if (error instanceof ContextdError && expected.has(error.reason)) return null;
      throw error;
    }
  }

  async #blockAt(at: number) {
    const { blocks = [] } = await this.host.call("context.get", { session_id: this.id });
    return blocks[at % Math.max(1, blocks.length)];
  }

  async #look(what: string, at: number): Promise<void> {
    const session = { session_id: this.id };
    if (what === "get") await this.host.call("context.get", { ...session, include: ["blocks", "messages"] });
    else if (what === "search") await this.host.call("content.search", { ...session, query: "parse" });
    else if (what === "budget") await this.host.call("budget.report", session);
    else if (what === "audit") await this.host.call("audit.list", { ...session, limit: 5 });
    else if (what === "session") await this.host.call("session.get", session);
    else {
      const block = await this.#blockAt(at);
      if (block) await this.host.call("context.explain", { ...session, block_id: block.block_id });
    }
  }

  async #isStanding(blockId: string): Promise<boolean> {
    const { blocks, standing } = await this.host.session(this.id);
    return blocks.get(blockId)?.messageId === standing;
  }

  /** Only OpenAI's lists hold the system prompt. A strict budget could refuse it: then the agent keeps what it has. */
  #instruct(text: Text): void {
    if (this.#telling === "messages" || this.setup.format !== "openai" || this.setup.strict || this.task === null)
      return;
    this.system = this.#say(text, 0.05);
    const message = { role: "system", content: this.system };
    if (this.#list[0]?.["role"] === "system") this.#list[0] = message;
    else this.#list.unshift(message);
    this.rewrote = true;
  }

  /** The agent shortens its own list: whole steps go, so that the list stays valid. */
  #rewrite(from: number, count: number, summary: boolean): void {
    if (this.#telling === "messages" || this.#untoldResults.length > 0) return;
    const cuts = this.#list.flatMap((message, index) => (this.#startsStep(message, index) ? [index] : []));
    const start = cuts[Math.min(1 + from, cuts.length - 1)];
    if (start === undefined || start === 0) return;
    const end = cuts.find((cut) => cut >= start + count) ?? this.#list.length;
    const task = JSON.stringify(this.task);
    if (this.#list.slice(start, end).some((message) => JSON.stringify(message) === task)) return;
    const note = this.#sent(wire[this.setup.format].user("Summary of what was done so far: the parser was mended."));
    this.#list.splice(start, end - start, ...(summary ? [note] : []));
    this.rewrote = true;
  }

  /** A user's message that answers no call begins a step: what stands before it is complete. */
  #startsStep(message: JsonObject, index: number): boolean {
    if (index === 0 || message["role"] !== "user") return false;
    return this.#format.split(message, "message").parts.every((part) => part.kind !== "tool_result");
  }

  async #turn(turn: Turn): Promise<void> {
    const asked = this.#questions(turn);
    const told = this.#telling === "messages";
    const results = this.#untoldResults;
    this.#untoldResults = [];
    const fresh = [...results, ...asked];
    if (!told) this.#list.push(...fresh);
    if ((told ? fresh : this.#list).length === 0) return;
    const wantsPatch = turn.reply === "patch" && this.#telling !== "managed";
    const reply = await this.#tolerated(
      this.host.call("on_turn_start", {
        session_id: this.id,
        ...(told ? { messages: fresh } : { history: this.#list }),
        ...(turn.reported === null
          ? {}
          : { model_reported: { input_tokens: Math.round(turn.reported * this.setup.window) } }),
        ...(turn.estimatedResponse === null
          ? {}
          : { estimated_response_tokens: Math.round(turn.estimatedResponse * this.setup.window * 0.5) }),
        reply: wantsPatch
          ? "patch"
          : this.#telling === "managed"
            ? "messages"
            : turn.reply === "patch"
              ? "messages"
              : turn.reply,
        ...(wantsPatch ? { base_revision: this.handed === null ? 0 : this.revision } : {}),
      }),
    );
    if (reply === null) {
      // What was refused was not taken in: the agent goes on without it.
      if (!told) this.#list.length -= fresh.length;
      this.#untoldResults = results;
      if (this.#turns === 0) this.task = this.#interjected;
      return;
    }
    this.#turns++;
    this.#answered = false;
    for (const edit of reply.applied) if (typeof edit["handle"] === "string") this.handles.push(edit["handle"]);
    await this.#received(reply as unknown as TurnReply, reply);
    for (let attempt = 0; attempt < turn.overflows; attempt++) await this.#overflow();
    await this.#answer(turn);
  }

  async #received(reply: TurnReply | null, raw: Record<string, unknown>): Promise<void> {
    const { messages, message_ids: ids, patch, system, revision } = raw;
    if (Array.isArray(messages)) {
      this.handed = {
        ids: ids as string[],
        messages: messages as JsonObject[],
        ...(system === undefined ? {} : { system: system as Json }),
      };
    } else if (Array.isArray(patch)) {
      this.handed = applyPatch(this.handed ?? { ids: [], messages: [] }, patch as PatchOperation[]);
    } else return;
    this.revision = revision as number;
    if (this.#telling === "managed") this.#list = [...this.handed.messages];
    await this.#observers.context?.(this.handed, reply);
  }

  async #overflow(): Promise<void> {
    const reply = await this.host.call("on_overflow", { session_id: this.id, provider_error: "context too long" });
    if (reply.messages) await this.#received(null, reply);
  }

  #questions({ ask, askForm, instruct }: Turn): JsonObject[] {
    const first = this.task === null;
    const needed = first || (this.#untoldResults.length === 0 && this.#answered);
    const said = ask ?? (needed ? { kind: "short" as const, size: 0, seed: 1 } : null);
    const text = first ? this.#say(this.setup.task, 0.1) : said === null ? null : this.#say(said);
    if (text === null) return [];
    const { format } = this.setup;
    const asked = [this.#sent({ role: "user", content: asking(text, askForm, format) })];
    if (first) this.task = asked[0] as JsonObject;
    if (instruct) asked.push(this.#sent({ role: format === "openai" ? "developer" : "system", content: "Be brief." }));
    return asked;
  }

  async #answer(turn: Turn): Promise<void> {
    const { setup } = this;
    const format = wire[setup.format];
    const calls = turn.calls.map((call) => ({ ...call, id: `call_${++this.#calls}` }));
    const text =
      turn.say === null && calls.length > 0 ? "" : this.#say(turn.say ?? { kind: "short", size: 0, seed: 2 });
    const thinking = turn.thinking === 0 ? null : `thinking of step ${this.#turns} ${"hm ".repeat(turn.thinking * 40)}`;
    const made = calls.map((call) => ({ id: call.id, name: call.name, input: inputOf(call, this.setup.window) }));
    const answer = format.answer(text, made, thinking);
    if (turn.thinking === 2 && setup.format === "anthropic") {
      (answer["content"] as Json[]).splice(1, 0, { type: "redacted_thinking", data: `secret ${this.#turns}` });
    }
    if (turn.sayParts && setup.format === "openai" && typeof answer["content"] === "string") {
      answer["content"] = [{ type: "text", text: answer["content"] }];
    }
    const message = this.#sent(answer);
    const hooks = this.#telling === "messages" || setup.reportsSteps;
    if (!hooks) this.#list.push(message);
    else {
      const usage = turn.usage === null ? {} : { usage: this.#usage(turn.usage) };
      await this.host.call("on_turn_end", { session_id: this.id, message, ...usage });
      if (this.#telling !== "messages") this.#list.push(message);
    }
    this.#answered = calls.length === 0;
    const kept: JsonObject[] = [];
    let byHook = hooks;
    for (const call of calls) {
      const content = resultOf(call, this.setup);
      // Results come in the order of the calls: once one waits for the next turn, so do those behind it.
      byHook &&= call.byHook || this.#telling !== "messages";
      const as = setup.format === "openai" ? "openai" : "anthropic";
      const [wireResult] = wire[as].results([{ id: call.id, content }]) as [JsonObject];
      if (call.isError && as === "anthropic") (wireResult["content"] as JsonObject[])[0]!["is_error"] = true;
      if (as === "openai" && call.form === "json") wireResult["metadata"] = { took_ms: 12, host: "a".repeat(80) };
      this.#sent(wireResult);
      if (!byHook) {
        kept.push(wireResult);
        continue;
      }
      const reply = await this.host.call("on_tool_result", {
        session_id: this.id,
        tool_call_id: call.id,
        tool_name: call.name,
        content,
        ...(call.isError ? { is_error: true } : {}),
      });
      if (typeof reply.handle === "string") this.handles.push(reply.handle);
      if (this.#telling === "messages") continue;
      const held = setup.keepsWhatItIsTold ? reply.content : content;
      if (reply.action !== "kept" && !setup.keepsWhatItIsTold) this.rewrote = true;
      const [told] = wire[as].results([{ id: call.id, content: held }]) as [JsonObject];
      // What it holds is what it says when it sends its list again: a result that was cut for it, too.
      this.#sent(told);
      if (call.isError && as === "anthropic") (told["content"] as JsonObject[])[0]!["is_error"] = true;
      this.#hold(told);
    }
    if (this.#telling === "messages") this.#untoldResults = inOneMessage(kept, this.#format.resultsShareMessage);
    else for (const result of inOneMessage(kept, this.#format.resultsShareMessage)) this.#hold(result);
  }

  /** Adds a result to the agent's list: to the message of its batch where the format wants them together. */
  #hold(result: JsonObject): void {
    const last = this.#list.at(-1);
    if (this.#format.resultsShareMessage && last?.["role"] === "user" && Array.isArray(last["content"])) {
      this.#list[this.#list.length - 1] = { ...last, content: [...last["content"], ...(result["content"] as Json[])] };
    } else this.#list.push(result);
  }

  #usage(ratio: number): Record<string, number> {
    const tokens = Math.round(ratio * 0.5 * this.setup.window);
    return { input_tokens: tokens, output_tokens: 20, cache_read_input_tokens: Math.floor(tokens / 10) };
  }
}

function inOneMessage(results: readonly JsonObject[], together: boolean): JsonObject[] {
  if (!together || results.length === 0) return [...results];
  return [{ role: "user", content: results.flatMap((result) => result["content"] as Json[]) }];
}
