import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { prose, wire } from "./wire-messages.ts";

/** An agent that reads files, by real hooks: each turn is one call with its result. */
export class DrivenSession {
  readonly #client: ContextdClient;
  readonly id: string;
  turn = 1;
  /** Tool that it calls. */
  tool = "read_file";
  /** Tokens of the prompt, as a provider would count them. */
  #tokens = 0;

  private constructor(client: ContextdClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  static async open(client: ContextdClient, id: string, more: JsonObject = {}): Promise<DrivenSession> {
    const task = { goal: "Mend the parser.", constraints: ["Touch only src/."] };
    await client.mutate("session.open", {
      ...{ session_id: id, agent: "code-fix", model: "gpt-4o", max_context_tokens: 8_000, task },
      ...more,
    });
    const session = new DrivenSession(client, id);
    await session.#start({ messages: [wire.openai.user("Begin.")] });
    return session;
  }

  /** A turn whose result has so many tokens and ends in these words, up to the start of the next. */
  async step(tokens: number, words = ""): Promise<void> {
    const number = this.turn++;
    const call = { id: `call_${number}`, name: this.tool, input: { path: `src/${number}.ts` } };
    const cached = Math.floor(this.#tokens * 0.8);
    const usage = { input_tokens: this.#tokens, output_tokens: 20, cache_read_input_tokens: cached };
    await this.mutate("on_turn_end", { message: wire.openai.answer("I read.", [call]), usage });
    const content = `${prose(tokens, `step ${number}`)}\n${words}`;
    await this.mutate("on_tool_result", { tool_call_id: call.id, tool_name: call.name, content });
    await this.#start();
  }

  async #start(params: JsonObject = {}): Promise<void> {
    const { reading } = await this.mutate<{ reading: { tokens: number } }>("on_turn_start", params);
    this.#tokens = reading.tokens;
  }

  /** Goes on until a pass was made; the ids of all passes, oldest first. */
  async untilPass(tokens = 700, words = ""): Promise<string[]> {
    for (let i = 0; i < 60; i++) {
      await this.step(tokens, i === 0 ? words : "");
      const passes = await this.passes();
      if (passes.length > 0) return passes;
    }
    throw new Error("No pass was made in 60 turns.");
  }

  async passes(): Promise<string[]> {
    const { entries } = await this.call<{ entries: { data: { pass_id: string } }[] }>("audit.list", {
      types: ["history.compacted"],
      order: "oldest",
      limit: 1_000,
    });
    return entries.map(({ data }) => data.pass_id);
  }

  call<Result>(method: string, params: JsonObject = {}): Promise<Result> {
    return this.#client.call<Result>(method, { session_id: this.id, ...params }, { readOnly: true });
  }

  mutate<Result>(method: string, params: JsonObject = {}): Promise<Result> {
    return this.#client.mutate<Result>(method, { session_id: this.id, ...params });
  }
}
