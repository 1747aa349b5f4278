import { convert, type RenderedContext } from "../messages/index.ts";
import { contentHash } from "../model/content-hash.ts";
import { ContextdError } from "../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { MESSAGE_FORMATS, type MessageFormatName } from "../model/message.ts";

/** A run of an agent as it was recorded: one JSON object a line, the first of which may tell about the run. */
export interface RecordedRun {
  readonly id: string;
  /** What the runs are grouped by in a report; `run` where the record does not tell. */
  readonly family: string;
  /** What the agent was given to do, as the record names it; null when it does not. */
  readonly task: string | null;
  /** Tells runs of one task by what the user asked first, for records that name no task. */
  readonly promptKey: string;
  /** Tokens of the window that the run had, as the record tells; null when it does not. */
  readonly windowTokens: number | null;
  /** The format it was recorded in. */
  readonly format: MessageFormatName;
  /** The whole conversation, in that format. */
  readonly conversation: RenderedContext;
}

/** Reads a recorded run. Throws invalid_params with the line that cannot be read; never quotes content. */
export function parseRun(text: string, name: string): RecordedRun {
  const lines: JsonObject[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() !== "") lines.push(readLine(line, `${name}:${index + 1}`));
  }
  const first = lines[0];
  const meta = first !== undefined && first["role"] === undefined ? first : {};
  const messages = (meta === first ? lines.slice(1) : lines).map(withoutToolName);
  const nameless = messages.findIndex((message) => typeof message["role"] !== "string");
  if (nameless >= 0) throw unreadable(name, `message ${nameless + 1} has no role`);
  if (!messages.some((message) => message["role"] === "assistant")) throw unreadable(name, "has no assistant message");
  const conversation = conversationOf(messages, meta);
  return {
    id: textOr(meta["id"], name.replace(/^.*\//, "").replace(/\.jsonl$/, "")),
    family: textOr(meta["family"], "run"),
    task: typeof meta["task"] === "string" ? meta["task"] : null,
    promptKey: promptKey(messages),
    windowTokens: positiveOrNull(meta["max_context_tokens"]),
    ...conversation,
  };
}

/** The run in the given format. A run in the other one is converted. */
export function conversationIn(run: RecordedRun, format: MessageFormatName): RenderedContext {
  return convert(run.conversation, run.format, format);
}

/** Recorders note a result's tool in its message; the API has no such field, and the hooks are told it beside. */
function withoutToolName(message: JsonObject): JsonObject {
  if (message["role"] !== "tool") return message;
  const { name: _name, ...rest } = message;
  return rest;
}

function readLine(line: string, place: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    throw new ContextdError("invalid_params", `${place} is no JSON.`, { path: place }, { cause: error });
  }
  if (!isJsonObject(value as Json)) throw unreadable(place, "is no JSON object");
  return value as JsonObject;
}

/** The record may name its format; else Anthropic's is told by its content blocks, or by a system prompt beside. */
function conversationOf(messages: JsonObject[], meta: JsonObject): Pick<RecordedRun, "format" | "conversation"> {
  const { system } = meta;
  const named = MESSAGE_FORMATS.find((format) => format === meta["format"]);
  const format = named ?? (system !== undefined || messages.some(isAnthropic) ? "anthropic" : "openai");
  if (format === "openai") return { format, conversation: { messages } };
  const [first, ...rest] = messages;
  if (system !== undefined || first?.["role"] !== "system") {
    return { format, conversation: system === undefined ? { messages } : { system, messages } };
  }
  return { format, conversation: { system: first["content"] ?? "", messages: rest } };
}

const ANTHROPIC_BLOCKS: ReadonlySet<unknown> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

function isAnthropic({ content, tool_calls, role }: JsonObject): boolean {
  if (role === "tool" || tool_calls !== undefined || !Array.isArray(content)) return false;
  return content.some((block) => isJsonObject(block) && ANTHROPIC_BLOCKS.has(block["type"]));
}

/** Characters of the first prompt that tell tasks apart: templates differ at the end. */
const PROMPT_CHARACTERS = 1500;

/** Temporary folders differ from run to run of the same task. */
function promptKey(messages: readonly JsonObject[]): string {
  const content = messages.find((message) => message["role"] === "user")?.["content"] ?? "";
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return contentHash(text.replace(/\/tmp\/\w+/g, "/tmp/").slice(-PROMPT_CHARACTERS)).slice(0, 12);
}

function positiveOrNull(value: Json | undefined): number | null {
  return typeof value === "number" && value > 0 ? Math.floor(value) : null;
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function unreadable(place: string, problem: string): ContextdError {
  return new ContextdError("invalid_params", `${place} ${problem}: a run is JSONL of OpenAI or Anthropic messages.`, {
    path: place,
  });
}
