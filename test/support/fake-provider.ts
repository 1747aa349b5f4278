import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json, JsonObject } from "../../src/model/json.ts";

/** Characters of a token, as the provider counts: more tokens than are estimated of plain English. */
const CHARACTERS = 3.5;

/** How a provider's API refuses and answers. */
export interface ProviderApi {
  refuse(tokens: number, limit: number): JsonObject;
  answer(tokens: number): JsonObject;
}

/** The bodies as the providers send them. */
export const providerApis = {
  openai: {
    refuse: (tokens, limit) => ({
      error: {
        message: `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`,
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    }),
    answer: (tokens) => ({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "gpt-4o" },
      choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Done." } }],
      usage: { prompt_tokens: tokens, completion_tokens: 3, total_tokens: tokens + 3 },
    }),
  },
  anthropic: {
    refuse: (tokens, limit) => ({
      type: "error",
      error: { type: "invalid_request_error", message: `prompt is too long: ${tokens} tokens > ${limit} maximum` },
    }),
    answer: (tokens) => ({
      ...{ id: "msg_1", type: "message", role: "assistant", model: "claude-sonnet-4-5" },
      ...{ content: [{ type: "text", text: "Done." }], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: tokens, output_tokens: 3 },
    }),
  },
} as const satisfies Record<string, ProviderApi>;

/** A provider of one model, which refuses prompts over its limit with the words of its API. Ends with its scope. */
export async function fakeProvider(api: ProviderApi, limit: number) {
  /** Statuses of what was answered, in order. */
  const statuses: number[] = [];
  const server = createServer(async (request, response) => {
    const { system, messages } = JSON.parse(await textOf(request)) as JsonObject;
    const tokens = Math.ceil(JSON.stringify([system ?? null, messages] as Json).length / CHARACTERS);
    const [status, body] = tokens > limit ? [400, api.refuse(tokens, limit)] : [200, api.answer(tokens)];
    statuses.push(status);
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    statuses,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk as string;
  return body;
}
