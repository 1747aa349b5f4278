import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { Findings, isBlank } from "../findings.ts";
import type { RenderedContext, Violation } from "../format.ts";
import { CACHE_CONTROL_LIMIT, countMarks } from "./cache-marks.ts";
import { isWellPlaced } from "./instructions.ts";

/**
 * The rules of Anthropic's Messages API, by stable name. Sources: the API reference, the guides on handling tool
 * calls, parallel tool use, extended thinking, prompt caching and mid-conversation system messages, and the texts of
 * the API's own 400 errors. Rules that depend on the model or on other request fields (whether thinking is enabled)
 * are left to the provider. Consecutive messages of one role are merged by the API and are valid.
 */
export const ANTHROPIC_RULES = {
  messages_present: "A request has at least one message.",
  first_role: "The first message is the user's.",
  role_known: "A role is user, assistant or, in the middle of a conversation, system.",
  system_placement:
    "A system message follows a user message or a server tool's use, and is the last or before an assistant message.",
  system_prompt_shape: "A system prompt is a string or a list of text blocks that are not blank.",
  content_shape: "A content is a string or a list of typed blocks.",
  content_required: "Every message but a final assistant message has a content that is not empty.",
  text_blank: "A text holds more than white space.",
  final_whitespace: "A final assistant message does not end with white space.",
  block_role: "This block does not belong into a message of this role.",
  tool_use_id: "A tool use id is made of letters, digits, underscores and hyphens.",
  tool_use_id_unique: "Tool use ids are unique in the request.",
  tool_use_name: "A tool's name is 1 to 128 letters, digits, underscores or hyphens.",
  tool_use_input: "A tool use has an input, which is an object.",
  tool_use_answered: "Each tool use is answered by a tool result in the next message.",
  tool_result_matched: "A tool result answers a tool use of the assistant message before it.",
  tool_result_single: "A tool use is answered once.",
  tool_results_first: "Tool results come before anything else in their message.",
  tool_result_content: "A tool result holds text that is not empty, images, documents or search results.",
  thinking_shape: "A thinking block has its thinking and its signature, a redacted one its data.",
  thinking_first: "An assistant message with thinking and a tool use begins with thinking.",
  thinking_last: "An assistant message does not end with thinking.",
  cache_control_limit: "At most four blocks have cache_control.",
} as const;

const ID = /^[a-zA-Z0-9_-]+$/;
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Blocks that never stand in a tool result; types that are not known here pass. */
const NOT_IN_RESULTS: ReadonlySet<string> = new Set(["tool_use", "tool_result", "thinking", "redacted_thinking"]);

type Report = Findings<typeof ANTHROPIC_RULES>;

/** What the walk over the messages knows. */
interface Walk {
  readonly report: Report;
  readonly seenIds: Set<string>;
  /** Tool uses of the message before, by id, with their paths; those answered so far. */
  pending: Map<string, string>;
  answered: Set<string>;
}

export function checkAnthropic(context: RenderedContext): Violation[] {
  const report: Report = new Findings(ANTHROPIC_RULES);
  const walk: Walk = { report, seenIds: new Set(), pending: new Map(), answered: new Set() };
  let marks = countMarks(context.system);
  checkSystem(context.system, report);
  const { messages } = context;
  if (messages.length === 0) report.add("messages_present", "messages");
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    const role = message["role"];
    marks += countMarks(message["content"]);
    const pending = walk.pending;
    walk.pending = new Map();
    walk.answered = new Set();
    if (role === "user" || role === "assistant" || role === "system") {
      if (index === 0 && role !== "user") report.add("first_role", `${path}.role`, role);
      if (role === "system" && index > 0 && !isWellPlaced(messages, index)) report.add("system_placement", path);
      checkMessage(message, role, path, index === messages.length - 1, pending, walk);
    } else report.add("role_known", `${path}.role`, typeof role);
    for (const [id, at] of pending) if (!walk.answered.has(id)) report.add("tool_use_answered", at, id);
  }
  for (const [id, at] of walk.pending) report.add("tool_use_answered", at, id);
  if (marks > CACHE_CONTROL_LIMIT) report.add("cache_control_limit", "messages", String(marks));
  return report.violations;
}

function checkSystem(system: Json | undefined, report: Report): void {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) {
    report.add("system_prompt_shape", "system");
    return;
  }
  for (const [index, block] of system.entries()) {
    const text = isJsonObject(block) && block["type"] === "text" ? block["text"] : undefined;
    if (typeof text !== "string" || isBlank(text)) report.add("system_prompt_shape", `system[${index}]`);
  }
}

function checkMessage(
  message: JsonObject,
  role: "user" | "assistant" | "system",
  path: string,
  isLast: boolean,
  pending: ReadonlyMap<string, string>,
  walk: Walk,
): void {
  const { report } = walk;
  const content = message["content"];
  const mayBeEmpty = role === "assistant" && isLast;
  if (content === "" || (Array.isArray(content) && content.length === 0)) {
    if (!mayBeEmpty) report.add("content_required", `${path}.content`);
    return;
  }
  if (typeof content === "string") {
    if (isBlank(content)) report.add("text_blank", `${path}.content`);
    else if (mayBeEmpty && endsWithSpace(content)) report.add("final_whitespace", `${path}.content`);
    return;
  }
  if (!Array.isArray(content)) {
    report.add(content === undefined || content === null ? "content_required" : "content_shape", `${path}.content`);
    return;
  }
  let resultsOver = false;
  for (const [index, block] of content.entries()) {
    const at = `${path}.content[${index}]`;
    if (!isJsonObject(block) || typeof block["type"] !== "string") {
      report.add("content_shape", at);
      continue;
    }
    const type = block["type"];
    const owner = OWNER_OF_BLOCK.get(type);
    if (owner !== undefined && owner !== role) {
      report.add("block_role", at, `${type} in ${role}`);
      continue;
    }
    if (type === "tool_result") {
      if (resultsOver) report.add("tool_results_first", at);
      checkResult(block, at, pending, walk);
      continue;
    }
    resultsOver = true;
    if (type === "text") checkText(block, at, report);
    else if (type === "tool_use") checkToolUse(block, at, walk);
    else if (isThinking(block)) checkThinking(block, at, report);
  }
  if (role === "assistant") checkAssistant(content, path, isLast, report);
}

const OWNER_OF_BLOCK: ReadonlyMap<string, string> = new Map([
  ["tool_use", "assistant"],
  ["thinking", "assistant"],
  ["redacted_thinking", "assistant"],
  ["tool_result", "user"],
]);

function checkText(block: JsonObject, path: string, report: Report): void {
  const text = block["text"];
  if (typeof text !== "string") report.add("content_shape", path);
  else if (isBlank(text)) report.add("text_blank", path);
}

function checkToolUse(block: JsonObject, path: string, walk: Walk): void {
  const { id, name, input } = block;
  const { report } = walk;
  if (typeof name !== "string" || !NAME.test(name)) report.add("tool_use_name", path);
  if (!isJsonObject(input)) report.add("tool_use_input", path);
  if (typeof id !== "string" || !ID.test(id)) {
    report.add("tool_use_id", path);
    return;
  }
  if (walk.seenIds.has(id)) report.add("tool_use_id_unique", path, id);
  walk.seenIds.add(id);
  walk.pending.set(id, path);
}

function checkResult(block: JsonObject, path: string, pending: ReadonlyMap<string, string>, walk: Walk): void {
  const { report, answered } = walk;
  const { tool_use_id: id, content } = block;
  if (typeof id !== "string" || !pending.has(id)) {
    report.add("tool_result_matched", path, typeof id === "string" ? id : "no id");
  } else if (answered.has(id)) report.add("tool_result_single", path, id);
  else answered.add(id);
  if (content === undefined || typeof content === "string") return;
  if (!Array.isArray(content)) {
    report.add("tool_result_content", `${path}.content`);
    return;
  }
  for (const [index, piece] of content.entries()) {
    const type = isJsonObject(piece) ? piece["type"] : undefined;
    const isBad = typeof type !== "string" || NOT_IN_RESULTS.has(type);
    const text = type === "text" && isJsonObject(piece) ? piece["text"] : "-";
    if (isBad || typeof text !== "string" || text === "") {
      report.add("tool_result_content", `${path}.content[${index}]`);
    }
  }
}

function isThinking(block: Json | undefined): boolean {
  return isJsonObject(block) && (block["type"] === "thinking" || block["type"] === "redacted_thinking");
}

function checkThinking(block: JsonObject, path: string, report: Report): void {
  const isWhole =
    block["type"] === "thinking"
      ? typeof block["thinking"] === "string" && typeof block["signature"] === "string"
      : typeof block["data"] === "string";
  if (!isWhole) report.add("thinking_shape", path);
}

/** Server tool blocks may stand before thinking: the model thinks again after it has seen their results. */
function checkAssistant(content: readonly Json[], path: string, isLast: boolean, report: Report): void {
  const first = content[0];
  const firstType = isJsonObject(first) ? first["type"] : undefined;
  const last = content.at(-1);
  if (isThinking(last)) report.add("thinking_last", `${path}.content[${content.length - 1}]`);
  if (firstType === "text" || firstType === "tool_use") {
    const hasToolUse = content.some((block) => isJsonObject(block) && block["type"] === "tool_use");
    if (hasToolUse && content.some(isThinking)) report.add("thinking_first", `${path}.content[0]`);
  }
  const text = isJsonObject(last) && last["type"] === "text" ? last["text"] : undefined;
  if (isLast && typeof text === "string" && !isBlank(text) && endsWithSpace(text)) {
    report.add("final_whitespace", `${path}.content[${content.length - 1}]`);
  }
}

function endsWithSpace(text: string): boolean {
  return isBlank(text.slice(-1));
}
