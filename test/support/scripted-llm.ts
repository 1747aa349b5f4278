import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { type LlmFault, respondWithFault } from "./llm-faults.ts";

export type { LlmFault } from "./llm-faults.ts";

export interface ScriptedRequest {
  readonly api: "openai-chat" | "anthropic-messages";
  readonly model: string;
  /** Instructions; empty when there are none. */
  readonly system: string;
  /** The last message of the user. */
  readonly user: string;
  readonly maxOutputTokens: number | null;
  readonly headers: IncomingMessage["headers"];
  /** The whole body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** An answer beside its text. */
export interface ScriptedReply {
  readonly text: string;
  /** max_tokens: says that the text was cut; filtered: that a filter declined. */
  readonly stop?: "end" | "max_tokens" | "filtered";
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Sends the answer gzipped, as some proxies do. */
  readonly gzip?: boolean;
}

/** What the server does with the n-th prompt (from 0). */
export type LlmScript = (
  request: ScriptedRequest,
  index: number,
) => string | ScriptedReply | LlmFault | Promise<string | ScriptedReply | LlmFault>;

export interface ScriptedLlmOptions {
  /** The key that callers must send; any or none unless given. */
  readonly apiKey?: string;
  /** Refuses `max_tokens` and `temperature` as OpenAI's reasoning models do. */
  readonly reasoning?: boolean;
  /** Answers for paths beside the two APIs, such as `GET /props`: JSON, or null for 404. */
  readonly also?: (method: string, path: string, body: unknown) => unknown;
}

type Refused = { readonly status: number; readonly type: string; readonly message: string; readonly param?: string };

/**
 * A server that speaks OpenAI's chat completions (under `/v1`) and Anthropic's messages, not streamed, and answers by a
 * script. It refuses what the real ones refuse, so that a client that passes here is understood there.
 */
export class ScriptedLlm implements AsyncDisposable {
  /** All prompts that came in, in order. */
  readonly requests: ScriptedRequest[] = [];
  /** Every request's method and path, in order. */
  readonly paths: string[] = [];
  /** Bytes of bodies handed to the system so far: how much of a huge one was taken off our hands. */
  sentBytes = 0;
  /** Replaceable while it runs. */
  script: LlmScript;
  readonly #options: ScriptedLlmOptions;
  readonly #server: Server;

  private constructor(script: LlmScript, options: ScriptedLlmOptions) {
    this.script = script;
    this.#options = options;
    this.#server = createServer((request, response) => {
      response.on("error", () => {});
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Listens on a free port of the loopback interface. */
  static async start(script: LlmScript, options: ScriptedLlmOptions = {}): Promise<ScriptedLlm> {
    const llm = new ScriptedLlm(script, options);
    await new Promise<void>((resolve) => llm.#server.listen(0, "127.0.0.1", resolve));
    return llm;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The base URL that an OpenAI client is given; Anthropic's are given `url`. */
  get openaiUrl(): string {
    return `${this.url}/v1`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", "http://scripted").pathname;
    this.paths.push(`${request.method} ${path}`);
    const text = await bodyOf(request);
    const anthropic = path.startsWith("/v1/messages");
    const refuse = (refused: Refused) =>
      send(response, refused.status, anthropic ? anthropicError(refused) : openaiError(refused));
    const body = parse(text);
    const extra = this.#options.also?.(request.method ?? "GET", path, body) ?? null;
    if (extra !== null) return send(response, 200, extra);
    if (!["/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens"].includes(path)) {
      return refuse({ status: 404, type: "not_found_error", message: "Not found" });
    }
    const refused = this.#refusal(request, path, body);
    if (refused) return refuse(refused);
    const fields = body as Record<string, unknown>;
    const prompt = anthropic ? anthropicRequest(request, fields) : openaiRequest(request, fields);
    if (path.endsWith("/count_tokens")) {
      return send(response, 200, { input_tokens: tokensOf(prompt.system) + tokensOf(prompt.user) });
    }
    this.requests.push(prompt);
    const answer = await this.script(prompt, this.requests.length - 1);
    if (typeof answer === "object" && "fault" in answer) {
      return respondWithFault(answer, response, refuse, (bytes) => {
        this.sentBytes += bytes;
      });
    }
    const reply = typeof answer === "string" ? { text: answer } : answer;
    send(response, 200, anthropic ? anthropicReply(prompt, reply) : openaiReply(prompt, reply), reply.gzip === true);
  }

  #refusal(request: IncomingMessage, path: string, body: unknown): Refused | null {
    const { apiKey, reasoning } = this.#options;
    const { headers } = request;
    const bad = (message: string, param?: string): Refused => ({
      status: 400,
      type: "invalid_request_error",
      message,
      ...(param !== undefined && { param }),
    });
    if (request.method !== "POST") return { status: 405, type: "invalid_request_error", message: "Method not allowed" };
    const given = headers["x-api-key"] ?? headers.authorization?.replace(/^Bearer /, "");
    if (apiKey !== undefined && given !== apiKey) {
      return { status: 401, type: "authentication_error", message: `Incorrect API key provided: ${given}.` };
    }
    if (headers["content-type"]?.startsWith("application/json") !== true || !isObject(body)) return bad("Not JSON.");
    if (typeof body["model"] !== "string") return bad("model: Field required", "model");
    if (!Array.isArray(body["messages"]) || body["messages"].length === 0) return bad("messages: Field required");
    if (body["stream"] === true) return bad("stream: not offered here");
    return path.startsWith("/v1/messages")
      ? refusalOfAnthropic(path, headers["anthropic-version"], body, bad)
      : refusalOfOpenai(reasoning === true, body, bad);
  }
}

type Bad = (message: string, param?: string) => Refused;

function refusalOfOpenai(reasoning: boolean, body: Record<string, unknown>, bad: Bad): Refused | null {
  for (const message of body["messages"] as unknown[]) {
    if (!isObject(message) || !["system", "developer", "user", "assistant"].includes(String(message["role"]))) {
      return bad("Invalid value for messages[].role", "messages");
    }
  }
  if (!reasoning) return null;
  if (body["max_tokens"] !== undefined) {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    return bad(message, "max_tokens");
  }
  if (body["temperature"] !== undefined && body["temperature"] !== 1) {
    return bad("Unsupported value: 'temperature' does not support 0 with this model.", "temperature");
  }
  return null;
}

const VERSIONS = ["2023-06-01", "2026-10-21"];

function refusalOfAnthropic(
  path: string,
  version: string | string[] | undefined,
  body: Record<string, unknown>,
  bad: Bad,
): Refused | null {
  if (version === undefined) return bad("anthropic-version: header is required");
  if (!VERSIONS.includes(String(version))) return bad("anthropic-version: not a valid version");
  if (path === "/v1/messages" && !Number.isInteger(body["max_tokens"])) return bad("max_tokens: Field required");
  if (version === "2026-10-21" && body["temperature"] !== undefined) {
    return bad("temperature: Extra inputs are not permitted");
  }
  for (const message of body["messages"] as unknown[]) {
    if (!isObject(message) || !["user", "assistant"].includes(String(message["role"]))) {
      return bad('messages: Unexpected role. The Messages API accepts a top-level `system` parameter, not "system".');
    }
  }
  return null;
}

function openaiRequest({ headers }: IncomingMessage, body: Record<string, unknown>): ScriptedRequest {
  const messages = body["messages"] as { role: string; content: unknown }[];
  const limit = body["max_completion_tokens"] ?? body["max_tokens"];
  return {
    api: "openai-chat",
    model: String(body["model"]),
    system: messages.flatMap(({ role, content }) => (role === "system" ? [textOf(content)] : [])).join("\n"),
    user: textOf(messages.findLast(({ role }) => role === "user")?.content),
    maxOutputTokens: typeof limit === "number" ? limit : null,
    headers,
    body,
  };
}

function anthropicRequest({ headers }: IncomingMessage, body: Record<string, unknown>): ScriptedRequest {
  const messages = body["messages"] as { role: string; content: unknown }[];
  return {
    api: "anthropic-messages",
    model: String(body["model"]),
    system: textOf(body["system"]),
    user: textOf(messages.findLast(({ role }) => role === "user")?.content),
    maxOutputTokens: typeof body["max_tokens"] === "number" ? body["max_tokens"] : null,
    headers,
    body,
  };
}

function openaiReply({ model, system, user }: ScriptedRequest, reply: ScriptedReply): object {
  const input = reply.inputTokens ?? tokensOf(system) + tokensOf(user);
  const output = reply.outputTokens ?? tokensOf(reply.text);
  const reasons = { end: "stop", max_tokens: "length", filtered: "content_filter" };
  return {
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 1_700_000_000,
    model: `${model}-2026-01-01`,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: reply.text, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: reasons[reply.stop ?? "end"],
      },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: 0 },
    },
  };
}

function anthropicReply({ model, system, user }: ScriptedRequest, reply: ScriptedReply): object {
  const reasons = { end: "end_turn", max_tokens: "max_tokens", filtered: "refusal" };
  return {
    id: "msg_scripted",
    type: "message",
    role: "assistant",
    model,
    content: reply.text === "" ? [] : [{ type: "text", text: reply.text, citations: null }],
    stop_reason: reasons[reply.stop ?? "end"],
    stop_sequence: null,
    usage: {
      input_tokens: reply.inputTokens ?? tokensOf(system) + tokensOf(user),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: reply.outputTokens ?? tokensOf(reply.text),
    },
  };
}

function openaiError({ status, message, param, type }: Refused): object {
  const code = status === 401 ? "invalid_api_key" : type === "context_length_exceeded" ? type : null;
  return { error: { message, type: "invalid_request_error", param: param ?? null, code } };
}

function anthropicError({ type, message }: Refused): object {
  const known = type === "context_length_exceeded" ? "invalid_request_error" : type;
  return { type: "error", error: { type: known, message }, request_id: "req_scripted" };
}

function send(response: ServerResponse, status: number, value: object | unknown, gzip = false): void {
  const text = JSON.stringify(value);
  const content = gzip ? gzipSync(text) : Buffer.from(text);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": content.length,
    ...(gzip && { "content-encoding": "gzip" }),
  });
  response.end(content);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Content as text: a string, or the texts of its pieces. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((piece) => (isObject(piece) && typeof piece["text"] === "string" ? piece["text"] : "")).join("");
}

/** Four characters a token: near enough for a script. */
function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
