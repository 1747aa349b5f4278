import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import type { ScriptedLlm } from "./scripted-llm.ts";
import { wire } from "./wire-messages.ts";

export type LlmApi = "openai-chat" | "anthropic-messages";

/** Environment of a daemon whose summariser the scripted model is. */
export function withLlm(llm: ScriptedLlm, api: LlmApi, model: JsonObject = {}): Record<string, string> {
  const base_url = api === "openai-chat" ? llm.openaiUrl : llm.url;
  const summarizer = { api, base_url, model: "scripted", ...model };
  return { CONTEXTD_LLM: JSON.stringify({ summarizer }) };
}

export interface PagingOptions {
  readonly id: string;
  readonly format?: MessageFormatName;
  readonly window?: number;
  readonly settings?: JsonObject;
  readonly system?: string;
  readonly tools?: readonly JsonObject[];
  /** What a step's tool answers; a page of rows unless given. */
  readonly page?: (step: number) => string;
  /** Tells each step with the start of the next turn alone: a third of the calls. */
  readonly isTerse?: boolean;
}

/** What a turn's start answers, as far as these tests read it. */
export interface TurnReply {
  readonly action: string;
  readonly applied: readonly { readonly method: string }[];
  readonly reading: { readonly zone: string; readonly tokens: number };
  readonly summary: {
    readonly summarizer: string;
    readonly generation: number;
    readonly tokens: number;
  } | null;
  readonly messages?: readonly JsonObject[];
  readonly system?: unknown;
  /** How long the caller waited for the answer, ms. */
  readonly tookMs: number;
}

export interface AgentContext {
  readonly messages: readonly JsonObject[];
  readonly system?: unknown;
  readonly blocks: readonly JsonObject[];
}

export const TASK = "Find the value that is wrong, and mend it.";

/** Rows of a page that differ from those of every other. */
export function pageOfRows(step: number, rows = 14): string {
  return Array.from(
    { length: rows },
    (_, row) => `row ${row} of step ${step}: value_${step}_${row} is ${step * 100 + row}`,
  ).join("\n");
}

/** An agent that reads one page after the other: each step is a call, its result and the start of the next turn. */
export class PagingAgent {
  readonly id: string;
  steps = 0;
  readonly #client: ContextdClient;
  readonly #options: PagingOptions;

  constructor(client: ContextdClient, options: PagingOptions) {
    this.id = options.id;
    this.#client = client;
    this.#options = options;
  }

  /** The same agent, calling another daemon. */
  at(client: ContextdClient): PagingAgent {
    const next = new PagingAgent(client, this.#options);
    next.steps = this.steps;
    return next;
  }

  async open(): Promise<this> {
    const { format = "openai", window = 8_000, settings = {}, system, tools = [] } = this.#options;
    await this.call("session.open", {
      model: "gpt-4o",
      max_context_tokens: window,
      message_format: format,
      settings,
      ...(system === undefined ? {} : { system }),
      ...(tools.length === 0 ? {} : { tools: [...tools] }),
    });
    await this.call("on_turn_start", { messages: [wire[format].user(TASK)], reply: "decision" });
    return this;
  }

  async step(reply: "messages" | "decision" = "decision"): Promise<TurnReply> {
    const { format = "openai", page = pageOfRows, isTerse = false } = this.#options;
    const step = this.steps++;
    const call = { id: `call_${step}`, name: "list", input: { page: step } };
    const said = wire[format].answer(`I look at page ${step}.`, [call]);
    const content = page(step);
    if (!isTerse) {
      await this.call("on_turn_end", { message: said });
      await this.call("on_tool_result", { tool_call_id: call.id, tool_name: "list", content });
    }
    const messages = isTerse ? [said, ...wire[format].results([{ id: call.id, content }])] : [];
    const began = performance.now();
    const answer = await this.call<TurnReply>("on_turn_start", { messages, reply });
    return { ...answer, tookMs: performance.now() - began };
  }

  /** Steps until the answer is as wanted; throws when it is not in so many. */
  async until(wanted: (reply: TurnReply) => boolean, most = 60): Promise<TurnReply> {
    for (let made = 0; made < most; made++) {
      const reply = await this.step();
      if (wanted(reply)) return reply;
    }
    throw new Error(`not in ${most} steps`);
  }

  call<Result = JsonObject>(method: string, params: JsonObject = {}): Promise<Result> {
    return this.#client.mutate<Result>(method, { session_id: this.id, ...params });
  }

  read<Result = JsonObject>(method: string, params: JsonObject = {}): Promise<Result> {
    return this.#client.call<Result>(method, { session_id: this.id, ...params }, { readOnly: true });
  }

  /** The context as its model would get it. */
  context(): Promise<AgentContext> {
    return this.read("context.get", { include: ["messages", "blocks"] });
  }

  /** The messages that hold a summary, as their text. */
  async summaries(): Promise<string[]> {
    const { messages } = await this.context();
    return messages
      .filter(({ role }) => role === "user")
      .map(textOf)
      .filter((text) => text.startsWith("<summary "));
  }
}

/** All text of a message. */
export function textOf({ content }: JsonObject): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((piece) => String((piece as JsonObject)["text"] ?? "")).join("");
}

/** The daemon's metrics. */
export async function metricsOf(url: string): Promise<Metrics> {
  return new Metrics(await (await fetch(`${url}/metrics`)).text());
}

export class Metrics {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The sum of all series of a name whose labels hold all of these words, such as `summarizer="llm"`. */
  sum(name: string, ...labels: readonly string[]): number {
    const lines = this.text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const series = lines.filter((line) => labels.every((label) => line.includes(label)));
    return series.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }
}
