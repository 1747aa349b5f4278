import { readFileSync } from "node:fs";
import type { JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";
import type { Contender, ReplayRequest } from "../../src/replay/contender.ts";
import { messageTokens } from "../../src/replay/counting.ts";
import { type PreparedRun, prepareRun } from "../../src/replay/prepared-run.ts";
import { parseRun } from "../../src/replay/recorded-run.ts";
import { ModelCatalogue, TokenCounter } from "../../src/tokens/index.ts";

const services = { counter: new TokenCounter({ workerUrl: null }), catalogue: new ModelCatalogue() };

/** A run of sixty steps made for these tests: 128 messages. */
export const LONG_RUN = readFileSync(new URL("../fixtures/replay/runs/long-run.jsonl", import.meta.url), "utf8");

/** A run ready to be replayed, its tokens counted by characters. */
export function prepared(text: string, format: MessageFormatName = "openai"): PreparedRun {
  return prepareRun(parseRun(text, "test"), {
    format,
    background: new Set(),
    tokensOf: (name) => messageTokens("chars", name, services),
  });
}

/** A run of OpenAI messages. */
export function runOf(messages: readonly JsonObject[]): PreparedRun {
  return prepared(messages.map((message) => JSON.stringify(message)).join("\n"));
}

/** A step of an OpenAI run: a call of a tool and its result. */
export function step(id: string, said: string, result: string, tool = "read_file"): JsonObject[] {
  const call = { id, type: "function", function: { name: tool, arguments: "{}" } };
  return [
    { role: "assistant", content: said, tool_calls: [call] },
    { role: "tool", tool_call_id: id, content: result },
  ];
}

export async function requestsOf(contender: Contender, run: PreparedRun, window: number): Promise<ReplayRequest[]> {
  const requests: ReplayRequest[] = [];
  for await (const request of contender.play(run, window)) requests.push(request);
  return requests;
}

export function tokensOf(run: PreparedRun, { context }: ReplayRequest): number {
  return run.readings.of(context).reduce((sum, { tokens }) => sum + tokens, 0);
}
