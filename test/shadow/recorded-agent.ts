import { readFileSync } from "node:fs";
import { messageFormats } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";
import type { TestManager } from "../support/manager.ts";

const text = readFileSync(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url), "utf8");

export interface PlayOptions {
  readonly session_id?: string;
  readonly format?: MessageFormatName;
  readonly max_context_tokens?: number;
  readonly model?: string;
  readonly settings?: JsonObject;
  readonly agent?: string;
  /** Model calls after which it stops; absent: all. */
  readonly turns?: number;
  /** Called after each model call. */
  readonly afterTurn?: (turn: number) => Promise<void> | void;
}

/** Plays the recorded run of the fixtures as its agent would have called the hooks. Answers all replies. */
export async function playRun(host: TestManager, options: PlayOptions = {}): Promise<unknown[]> {
  const { session_id = "s", format = "openai", turns = Number.POSITIVE_INFINITY, afterTurn } = options;
  const { messages, system } = conversationIn(parseRun(text, "long-run"), format);
  const replies: unknown[] = [];
  const call = async (name: Parameters<TestManager["call"]>[0], params: JsonObject) => {
    host.clock.advance(1000);
    replies.push(await host.call(name, { session_id, ...params }));
  };
  await call("session.open", {
    agent: options.agent ?? "coder",
    model: options.model ?? "gpt-4o",
    message_format: format,
    max_context_tokens: options.max_context_tokens ?? 9000,
    ...(system === undefined ? {} : { system }),
    settings: options.settings ?? {},
  });
  let fresh: JsonObject[] = [];
  let turn = 0;
  for (const message of messages) {
    const { role, parts } = messageFormats[format].split(message, "message");
    if (role === "assistant") {
      if (turn++ === turns) break;
      await call("on_turn_start", { messages: fresh });
      fresh = [];
      await call("on_turn_end", { message });
      await afterTurn?.(turn);
    } else if (parts.every((part) => part.kind === "tool_result") && fresh.length === 0) {
      for (const { callId, isError, wire } of parts.filter((part) => part.kind === "tool_result")) {
        const content = role === "tool" ? message["content"] : (wire as JsonObject)["content"];
        await call("on_tool_result", {
          tool_call_id: callId,
          tool_name: "run",
          content: content ?? "",
          is_error: isError,
        });
      }
    } else fresh.push(message);
  }
  return replies;
}

/** The run as replay reads it. */
export const recordedText = text;
