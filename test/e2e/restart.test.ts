import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SESSION = { openai: "in-openai", anthropic: "in-anthropic" } as const;
/** Text that no other has: nothing is merged with anything. */
const listing = (turn: number) =>
  Array.from({ length: 120 }, (_, line) => `src/part-${turn}/file-${line}.ts holds value_${turn * 1000 + line}`).join(
    "\n",
  );

function answer(format: MessageFormatName, turn: number): JsonObject {
  const text = `I look into src/part-${turn} for value_${turn * 1000}.`;
  const args = { path: `src/part-${turn}` };
  return format === "openai"
    ? {
        role: "assistant",
        content: text,
        tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "list", arguments: JSON.stringify(args) } }],
      }
    : {
        role: "assistant",
        content: [
          { type: "text", text },
          { type: "tool_use", id: `c${turn}`, name: "list", input: args },
        ],
      };
}

async function open(client: ContextdClient, format: MessageFormatName): Promise<void> {
  await client.mutate("session.open", {
    session_id: SESSION[format],
    agent: "lister",
    model: format === "openai" ? "gpt-4o" : "claude-sonnet-4",
    message_format: format,
    max_context_tokens: 12_000,
    system: "You list files.",
    task: { goal: "Find the value." },
  });
}

/** Turns that fill the window and make it overflow: some of what they bring is evicted. */
async function work(client: ContextdClient, format: MessageFormatName, from: number, to: number): Promise<void> {
  const session_id = SESSION[format];
  for (let turn = from; turn <= to; turn++) {
    const messages = turn === 1 ? [{ role: "user", content: "Find the value, please." }] : [];
    await client.mutate("on_turn_start", { session_id, messages });
    const usage = turn % 3 === 0 ? { usage: await usageAboveEstimate(client, session_id) } : {};
    await client.mutate("on_turn_end", { session_id, message: answer(format, turn), ...usage });
    await client.mutate("on_tool_result", {
      session_id,
      tool_call_id: `c${turn}`,
      tool_name: "list",
      content: listing(turn),
    });
  }
  await client.mutate("context.pin", { session_id, block_ids: [await newestBlock(client, session_id)] });
}

/** Usage above the daemon's own count: it anchors the session and moves the model's calibration. */
async function usageAboveEstimate(client: ContextdClient, session_id: string): Promise<JsonObject> {
  const { raw_tokens } = await client.call<{ raw_tokens: number }>("context.get", { session_id, include: [] });
  return { input_tokens: Math.round(raw_tokens * 1.1), output_tokens: 60 };
}

async function newestBlock(client: ContextdClient, session_id: string): Promise<string> {
  const { blocks } = await client.call<{ blocks: { block_id: string }[] }>("context.get", { session_id });
  return blocks.at(-1)?.block_id ?? "";
}

/** All that can be seen of the sessions. */
async function state(client: ContextdClient) {
  const seen: Record<string, unknown> = { list: await client.call("session.list", { sort: "session_id" }) };
  for (const session_id of Object.values(SESSION)) {
    seen[session_id] = {
      context: await client.call("context.get", { session_id, include: ["blocks", "messages"] }),
      session: await client.call("session.get", { session_id }),
      audit: await client.call("audit.list", { session_id, order: "oldest", limit: 1000 }),
      budget: await client.call("budget.report", { session_id }),
    };
  }
  return seen;
}

async function evictedOf(client: ContextdClient, session_id: string): Promise<string[]> {
  const { entries } = await client.call<{ entries: { type: string; data: { block_id: string } }[] }>("audit.list", {
    session_id,
    types: ["block.evicted"],
    limit: 1000,
  });
  return entries.filter((entry) => entry.type === "block.evicted").map((entry) => entry.data.block_id);
}

describe("a restarted daemon", () => {
  it.each(["SIGTERM", "SIGKILL"] as const)(
    "has every session as it was before %s, and goes on with it",
    async (signal) => {
      using folder = temporaryFolder();
      await using first = await DaemonProcess.start({ data: folder.path });
      for (const format of ["openai", "anthropic"] as const) {
        await open(first.client, format);
        await work(first.client, format, 1, 14);
      }
      const before = await state(first.client);
      const [evicted] = await evictedOf(first.client, SESSION.openai);
      expect(evicted).toBeDefined();
      const ended = await first.kill(signal);
      expect(ended.code).toBe(signal === "SIGTERM" ? 0 : null);

      await using second = await first.restart();
      expect(await state(second.client)).toEqual(before);
      const recalled = await second.client.mutate<{ content: string }>("content.recall", {
        session_id: SESSION.openai,
        block_id: evicted as string,
      });
      expect(recalled.content.length).toBeGreaterThan(0);
      for (const format of ["openai", "anthropic"] as const) await work(second.client, format, 15, 18);
      expect(await second.kill("SIGTERM")).toMatchObject({ code: 0 });
    },
  );

  it("gives a call that is repeated after kill -9 the answer of the first time, and no second effect", async () => {
    using folder = temporaryFolder();
    await using first = await DaemonProcess.start({ data: folder.path });
    await open(first.client, "openai");
    await work(first.client, "openai", 1, 3);
    const params = { session_id: SESSION.openai, messages: [], idempotency_key: "turn-4" };
    const answered = await first.client.call("on_turn_start", params);
    await first.kill("SIGKILL");

    await using second = await first.restart();
    expect(await second.client.call("on_turn_start", params)).toEqual(answered);
    expect(await second.client.call("session.get", { session_id: SESSION.openai })).toMatchObject({ turn: 4 });
  });
});
