import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { fakeProvider, providerApis } from "../support/fake-provider.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";

const LIMIT = 131_072;
const session_id = "refused";

interface Smaller extends JsonObject {
  readonly action: "retry" | "cross_window_save" | "give_up";
  readonly messages: JsonObject[];
}

interface Reading {
  readonly reading: { readonly tokens: number };
}

/** A model call by a provider's own client: with what on_overflow gives back, where the prompt is refused. */
type ModelCall = (prompt: JsonObject) => Promise<unknown>;

const clients: Readonly<Record<MessageFormatName, { model: string; call: (baseURL: string) => ModelCall }>> = {
  openai: {
    model: "gpt-4o",
    call(baseURL) {
      const openai = new OpenAI({ baseURL, apiKey: "none", maxRetries: 0 });
      return ({ messages }) => openai.chat.completions.create({ model: "gpt-4o", messages: messages as never });
    },
  },
  anthropic: {
    model: "claude-opus-4-8",
    call(baseURL) {
      const anthropic = new Anthropic({ baseURL, apiKey: "none", maxRetries: 0 });
      const model = "claude-opus-4-8";
      return ({ system, messages }) =>
        anthropic.messages.create({ model, max_tokens: 1000, system: system as never, messages: messages as never });
    },
  },
};

/** As docs/windows.md has it. Answers what on_overflow said. */
async function callModel(client: ContextdClient, call: ModelCall, prompt: JsonObject): Promise<Smaller[]> {
  const replies: Smaller[] = [];
  for (let next = prompt; ; next = replies.at(-1) as JsonObject) {
    try {
      await call(next);
      return replies;
    } catch (error) {
      const provider_error = (error as { error?: JsonObject }).error ?? String(error);
      replies.push(await client.mutate<Smaller>("on_overflow", { session_id, provider_error }));
      if (replies.at(-1)?.action === "give_up") throw error;
    }
  }
}

/** A session whose context is larger than the provider takes, and smaller than the config says that it may be. */
async function filled(client: ContextdClient, message_format: MessageFormatName): Promise<JsonObject> {
  const form = wire[message_format];
  const { model } = clients[message_format];
  const opened = await client.mutate("session.open", { session_id, model, message_format, system: "Be careful." });
  expect(opened).toMatchObject({ max_context_tokens: 200_000, window_source: { from: "profile", at: null } });
  await client.mutate("on_turn_start", { session_id, messages: [form.user("Mend the parser.")] });
  for (let step = 0; ; step++) {
    const call = { id: `call_${step}`, name: "bash", input: { command: `cat ${step}` } };
    await client.mutate("on_turn_end", { session_id, message: form.answer("I look.", [call]) });
    const content = prose(19_000, `step ${step}`);
    await client.mutate("on_tool_result", { session_id, tool_call_id: call.id, tool_name: "bash", content });
    const { reading } = await client.mutate<Reading>("on_turn_start", { session_id, reply: "decision" });
    if (reading.tokens > LIMIT) return client.call("context.get", { session_id, include: ["messages"] });
  }
}

describe.each(["openai", "anthropic"] as const)("a daemon told 200,000 by the config, and %s's client", (format) => {
  it("sends again what on_overflow gives back, and uses the provider's 131,072 from then on, after a restart too", async () => {
    using folder = temporaryFolder();
    await using provider = await fakeProvider(providerApis[format], LIMIT);
    const env = { CONTEXTD_MAX_CONTEXT_TOKENS: "200000" };
    await using first = await DaemonProcess.start({ data: `${folder.path}/data`, env });
    const { client } = first;
    const { model, call } = clients[format];
    const before = Date.now();
    const replies = await callModel(client, call(provider.baseURL), await filled(client, format));
    expect(provider.statuses).toEqual([400, 200]);
    expect(replies).toMatchObject([
      {
        action: "retry",
        reason: null,
        attempt: 1,
        learned: { limit: LIMIT, provider: format, kind: "context_length" },
      },
    ]);
    const [learned] = replies.map((reply) => (reply["learned"] as { tokens: number }).tokens) as [number];
    expect(learned).toBeGreaterThan(LIMIT);

    const source = { max_tokens: LIMIT, window_source: { from: "provider_error" } };
    expect(await client.call("session.get", { session_id })).toMatchObject(source);
    const opened = { max_context_tokens: LIMIT, window_guessed: false, window_source: { from: "provider_error" } };
    const open = (to: ContextdClient, id: string, more: JsonObject = {}) =>
      to.mutate<{ window_source: { at: number } }>("session.open", { session_id: id, model, ...more });
    const next = await open(client, "next");
    expect(next).toMatchObject(opened);
    expect(next.window_source.at).toBeGreaterThanOrEqual(before);
    expect(await open(client, "smaller", { max_context_tokens: 50_000 })).toMatchObject({ max_context_tokens: 50_000 });
    expect(await client.call("status.report")).toMatchObject({
      overflows_total: 1,
      overflows_last_hour: 1,
      models: [{ model, window: LIMIT, learned_from: "provider_error" }],
    });
    const metrics = await (await fetch(`${first.url}/metrics`)).text();
    expect(metrics).toContain('contextd_overflow_recoveries_total{profile="default-128k",outcome="retry"} 1\n');
    expect(metrics).toContain(`contextd_windows_learned_total{model="${model}",learned_from="provider_error"} 1\n`);
    expect(metrics).toContain('contextd_checkpoints_total{outcome="saved"}');
    await first.kill("SIGKILL");

    await using second = await first.restart();
    expect(await second.client.call("session.get", { session_id })).toMatchObject(source);
    expect(await open(second.client, "after")).toMatchObject(opened);
  });
});
