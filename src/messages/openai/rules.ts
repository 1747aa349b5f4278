import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { Findings } from "../findings.ts";
import type { RenderedContext, Violation } from "../format.ts";

/**
 * The rules of OpenAI's chat completions, by stable name. Sources: the API reference of chat completions (message
 * and content part schemas) and the texts of the API's own 400 errors. Limits that compatible providers commonly
 * exceed (ids longer than 40 characters, ids that return in a later batch) are not among them.
 */
export const OPENAI_RULES = {
  messages_present: "A request has at least one message.",
  role_known: "A role is system, developer, user, assistant, tool or function.",
  content_required: "A message of this role has a content that is not null.",
  content_shape: "A content is a string or a list of typed parts.",
  content_parts_present: "A list of content parts has at least one part.",
  part_type: "This role does not take this type of content part.",
  text_part_text: "A text part has a text.",
  assistant_says_something: "An assistant message has a content, tool calls, a refusal, a function call or audio.",
  tool_calls_present: "A list of tool calls has at least one call.",
  tool_call_shape: "A tool call has an id, and a type with the name and the arguments (as text) of what is called.",
  tool_call_name: "A tool's name is 1 to 64 letters, digits, underscores or hyphens.",
  tool_call_id_unique: "The calls of one message have different ids.",
  tool_call_answered: "Each tool call is answered by a tool message before any other role speaks.",
  tool_result_id: "A tool message has the id of the call it answers.",
  tool_result_matched: "A tool message answers a call of the assistant message before it.",
  tool_result_single: "A tool call is answered once.",
  function_name: "A function message has the name of the function.",
} as const;

const ROLES: ReadonlySet<string> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Parts of the published schema and the roles that take them; parts it does not know pass. */
const ROLES_OF_PART: Readonly<Record<string, readonly string[]>> = {
  image_url: ["user"],
  input_audio: ["user"],
  file: ["user"],
  refusal: ["assistant"],
};

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** The calls of the last assistant message that wait for their results. */
interface Batch {
  readonly message: number;
  /** Position of each call by its id. */
  readonly calls: Map<string, number>;
  readonly answered: Set<string>;
}

type Report = Findings<typeof OPENAI_RULES>;

export function checkOpenAi(context: RenderedContext): Violation[] {
  const report: Report = new Findings(OPENAI_RULES);
  if (context.messages.length === 0) report.add("messages_present", "messages");
  let batch: Batch | null = null;
  for (const [index, message] of context.messages.entries()) {
    const path = `messages[${index}]`;
    const role = message["role"];
    if (typeof role !== "string" || !ROLES.has(role)) {
      report.add("role_known", `${path}.role`, typeof role);
      continue;
    }
    if (role === "tool") {
      checkAnswer(message, batch, path, report);
    } else {
      closeBatch(batch, report);
      batch = role === "assistant" ? openBatch(message, index, report) : null;
    }
    checkContent(message, role, path, report);
  }
  closeBatch(batch, report);
  return report.violations;
}

function checkContent(message: JsonObject, role: string, path: string, report: Report): void {
  const content = message["content"];
  if (role === "function" && typeof message["name"] !== "string") report.add("function_name", `${path}.name`);
  if (content === undefined || content === null) {
    if (role !== "assistant") report.add("content_required", `${path}.content`, role);
    else if (!speaksOtherwise(message)) report.add("assistant_says_something", path);
    return;
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    report.add("content_shape", `${path}.content`);
    return;
  }
  if (content.length === 0) report.add("content_parts_present", `${path}.content`);
  for (const [index, part] of content.entries()) checkPart(part, role, `${path}.content[${index}]`, report);
}

function speaksOtherwise(message: JsonObject): boolean {
  const { tool_calls: calls, refusal, function_call: called, audio } = message;
  return Array.isArray(calls) || typeof refusal === "string" || isJsonObject(called) || isJsonObject(audio);
}

function checkPart(part: Json, role: string, path: string, report: Report): void {
  if (!isJsonObject(part) || typeof part["type"] !== "string") {
    report.add("content_shape", path);
    return;
  }
  const type = part["type"];
  if (type === "text") {
    if (typeof part["text"] !== "string") report.add("text_part_text", path);
    return;
  }
  const takers = Object.hasOwn(ROLES_OF_PART, type) ? ROLES_OF_PART[type] : undefined;
  if (takers !== undefined && !takers.includes(role)) report.add("part_type", path, `${type} in ${role}`);
}

function openBatch(message: JsonObject, index: number, report: Report): Batch | null {
  const calls = message["tool_calls"];
  if (calls === undefined || calls === null) return null;
  const path = `messages[${index}].tool_calls`;
  if (!Array.isArray(calls) || calls.length === 0) {
    report.add("tool_calls_present", path);
    return null;
  }
  const batch: Batch = { message: index, calls: new Map(), answered: new Set() };
  for (const [position, call] of calls.entries()) {
    const at = `${path}[${position}]`;
    const id = isJsonObject(call) ? call["id"] : undefined;
    if (!isJsonObject(call) || typeof id !== "string" || id === "" || typeof call["type"] !== "string") {
      report.add("tool_call_shape", at);
      continue;
    }
    checkCalled(call, call["type"], at, report);
    if (batch.calls.has(id)) report.add("tool_call_id_unique", at, id);
    else batch.calls.set(id, position);
  }
  return batch;
}

function checkCalled(call: JsonObject, type: string, path: string, report: Report): void {
  if (type !== "function" && type !== "custom") return;
  const called = call[type];
  const input = isJsonObject(called) ? called[type === "function" ? "arguments" : "input"] : undefined;
  if (!isJsonObject(called) || typeof called["name"] !== "string" || typeof input !== "string") {
    report.add("tool_call_shape", path, type);
  } else if (!NAME.test(called["name"])) report.add("tool_call_name", path);
}

function checkAnswer(message: JsonObject, batch: Batch | null, path: string, report: Report): void {
  const id = message["tool_call_id"];
  if (typeof id !== "string") report.add("tool_result_id", `${path}.tool_call_id`);
  else if (batch === null || !batch.calls.has(id)) report.add("tool_result_matched", path, id);
  else if (batch.answered.has(id)) report.add("tool_result_single", path, id);
  else batch.answered.add(id);
}

function closeBatch(batch: Batch | null, report: Report): void {
  if (batch === null || batch.answered.size === batch.calls.size) return;
  for (const [id, position] of batch.calls) {
    if (batch.answered.has(id)) continue;
    report.add("tool_call_answered", `messages[${batch.message}].tool_calls[${position}]`, id);
  }
}
