import { describe, expect, it } from "vitest";
import { ANTHROPIC_RULES, messageFormats, OPENAI_RULES, type RenderedContext } from "../../src/messages/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";

/** A context that breaks one rule, and where. */
interface Breach {
  readonly rule: string;
  readonly path: string;
  readonly because: string;
  readonly context: RenderedContext;
}

const ask: JsonObject = { role: "user", content: "Go." };

function breach(rule: string, path: string, because: string, messages: JsonObject[], system?: Json): Breach {
  return { rule, path, because, context: system === undefined ? { messages } : { system, messages } };
}

function call(id: string, changes: JsonObject = {}): JsonObject {
  return { id, type: "function", function: { name: "read", arguments: "{}" }, ...changes };
}

function calling(...calls: JsonObject[]): JsonObject {
  return { role: "assistant", content: null, tool_calls: calls };
}

function answer(id: string, content: Json = "ok"): JsonObject {
  return { role: "tool", tool_call_id: id, content };
}

const OPENAI_BREACHES: readonly Breach[] = [
  breach("messages_present", "messages", "there is no message", []),
  breach("role_known", "messages[1].role", "the role is unknown", [ask, { role: "robot", content: "x" }]),
  breach("content_required", "messages[0].content", "a user says null", [{ role: "user", content: null }]),
  breach("content_required", "messages[2].content", "a tool says nothing", [
    ask,
    calling(call("a")),
    { role: "tool", tool_call_id: "a" },
  ]),
  breach("content_shape", "messages[0].content", "a content is a number", [{ role: "user", content: 5 }]),
  breach("content_shape", "messages[0].content[0]", "a part has no type", [{ role: "user", content: [{}] }]),
  breach("content_parts_present", "messages[0].content", "a list is empty", [{ role: "user", content: [] }]),
  breach("part_type", "messages[2].content[0]", "an image is in a tool message", [
    ask,
    calling(call("a")),
    answer("a", [{ type: "image_url", image_url: { url: "https://images.example/a.png" } }]),
  ]),
  breach("text_part_text", "messages[0].content[0]", "a text part has none", [
    { role: "user", content: [{ type: "text" }] },
  ]),
  breach("assistant_says_something", "messages[1]", "an assistant says null and calls nothing", [
    ask,
    { role: "assistant", content: null },
  ]),
  breach("tool_calls_present", "messages[1].tool_calls", "the list of calls is empty", [
    ask,
    { role: "assistant", content: "x", tool_calls: [] },
  ]),
  breach("tool_call_shape", "messages[1].tool_calls[0]", "a call has no id", [ask, calling({ type: "function" })]),
  breach("tool_call_shape", "messages[1].tool_calls[0]", "arguments are not text", [
    ask,
    calling(call("a", { function: { name: "read", arguments: {} } })),
    answer("a"),
  ]),
  breach("tool_call_name", "messages[1].tool_calls[0]", "a name has a blank", [
    ask,
    calling(call("a", { function: { name: "read file", arguments: "{}" } })),
    answer("a"),
  ]),
  breach("tool_call_id_unique", "messages[1].tool_calls[1]", "two calls of a message share an id", [
    ask,
    calling(call("a"), call("a")),
    answer("a"),
  ]),
  breach("tool_call_answered", "messages[1].tool_calls[1]", "one call of a batch waits while the user speaks", [
    ask,
    calling(call("a"), call("b")),
    answer("a"),
    ask,
  ]),
  breach("tool_call_answered", "messages[1].tool_calls[0]", "the conversation ends with a call", [
    ask,
    calling(call("a")),
  ]),
  breach("tool_result_id", "messages[2].tool_call_id", "a result names no call", [
    ask,
    { role: "assistant", content: "x" },
    { role: "tool", content: "ok" },
  ]),
  breach("tool_result_matched", "messages[1]", "a result has no call", [ask, answer("a")]),
  breach("tool_result_matched", "messages[4]", "a result comes after another role", [
    ask,
    calling(call("a")),
    answer("a"),
    ask,
    answer("a"),
  ]),
  breach("tool_result_single", "messages[3]", "a call is answered twice", [
    ask,
    calling(call("a")),
    answer("a"),
    answer("a"),
  ]),
  breach("function_name", "messages[1].name", "a function message has no name", [
    ask,
    { role: "function", content: "x" },
  ]),
];

function use(id: string, changes: JsonObject = {}): JsonObject {
  return { type: "tool_use", id, name: "read", input: {}, ...changes };
}

function result(id: string, changes: JsonObject = {}): JsonObject {
  return { type: "tool_result", tool_use_id: id, content: "ok", ...changes };
}

function user(...content: JsonObject[]): JsonObject {
  return { role: "user", content };
}

function assistant(...content: JsonObject[]): JsonObject {
  return { role: "assistant", content };
}

const text = (value: string, changes: JsonObject = {}): JsonObject => ({ type: "text", text: value, ...changes });
const thinking: JsonObject = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
const instruction: JsonObject = { role: "system", content: "Be brief." };
const marked: JsonObject = { cache_control: { type: "ephemeral" } };

const ANTHROPIC_BREACHES: readonly Breach[] = [
  breach("messages_present", "messages", "there is no message", []),
  breach("first_role", "messages[0].role", "the assistant begins", [assistant(text("x"))]),
  breach("role_known", "messages[1].role", "the role is OpenAI's", [ask, { role: "tool", content: "x" }]),
  breach("system_placement", "messages[2]", "an instruction follows the assistant", [
    ask,
    assistant(text("x")),
    instruction,
  ]),
  breach("system_placement", "messages[1]", "an instruction is before the user", [ask, instruction, ask]),
  breach("system_prompt_shape", "system[1]", "a block of the prompt is blank", [ask], [text("x"), text(" ")]),
  breach("system_prompt_shape", "system[0]", "the prompt holds an image", [ask], [{ type: "image" }]),
  breach("content_shape", "messages[0].content", "a content is a number", [{ role: "user", content: 5 }]),
  breach("content_shape", "messages[0].content[0]", "a block has no type", [{ role: "user", content: ["x"] }]),
  breach("content_required", "messages[0].content", "a user says nothing", [{ role: "user", content: "" }]),
  breach("content_required", "messages[1].content", "an assistant says nothing before the end", [
    ask,
    assistant(),
    ask,
  ]),
  breach("content_required", "messages[1].content", "a content is missing", [ask, { role: "assistant" }]),
  breach("text_blank", "messages[0].content[1]", "a text is empty", [user(text("x"), text(""))]),
  breach("text_blank", "messages[0].content", "a text is white space", [{ role: "user", content: " \n" }]),
  breach("final_whitespace", "messages[1].content[0]", "the last text ends with a blank", [
    ask,
    assistant(text("Well ")),
  ]),
  breach("final_whitespace", "messages[1].content", "the last string ends with a newline", [
    ask,
    { role: "assistant", content: "Well\n" },
  ]),
  breach("block_role", "messages[0].content[0]", "a user calls a tool", [user(use("a"))]),
  breach("block_role", "messages[1].content[0]", "an assistant answers a call", [ask, assistant(result("a"))]),
  breach("tool_use_id", "messages[1].content[0]", "an id has a colon", [ask, assistant(use("read:0"))]),
  breach("tool_use_id_unique", "messages[3].content[0]", "an id returns in a later message", [
    ask,
    assistant(use("a")),
    user(result("a")),
    assistant(use("a")),
    user(result("a")),
  ]),
  breach("tool_use_name", "messages[1].content[0]", "a name has a dot", [
    ask,
    assistant(use("a", { name: "fs.read" })),
    user(result("a")),
  ]),
  breach("tool_use_input", "messages[1].content[0]", "an input is text", [
    ask,
    assistant(use("a", { input: "{}" })),
    user(result("a")),
  ]),
  breach("tool_use_answered", "messages[1].content[1]", "one use of a batch is not answered", [
    ask,
    assistant(use("a"), use("b")),
    user(result("a")),
  ]),
  breach("tool_use_answered", "messages[1].content[0]", "the conversation ends with a use", [ask, assistant(use("a"))]),
  breach("tool_use_answered", "messages[1].content[0]", "an instruction stands between a use and its result", [
    ask,
    assistant(use("a")),
    instruction,
  ]),
  breach("tool_result_matched", "messages[0].content[0]", "a result has no use", [user(result("a"))]),
  breach("tool_result_matched", "messages[3].content[0]", "a result is two messages away from its use", [
    ask,
    assistant(use("a")),
    user(result("a")),
    user(result("a")),
  ]),
  breach("tool_result_single", "messages[2].content[1]", "a use is answered twice", [
    ask,
    assistant(use("a")),
    user(result("a"), result("a")),
  ]),
  breach("tool_results_first", "messages[2].content[1]", "a text stands before a result", [
    ask,
    assistant(use("a")),
    user(text("Here:"), result("a")),
  ]),
  breach("tool_result_content", "messages[2].content[0].content[0]", "a result holds an empty text", [
    ask,
    assistant(use("a")),
    user(result("a", { content: [text("")] })),
  ]),
  breach("tool_result_content", "messages[2].content[0].content", "a result's content is an object", [
    ask,
    assistant(use("a")),
    user(result("a", { content: {} })),
  ]),
  breach("thinking_shape", "messages[1].content[0]", "a thinking block has no signature", [
    ask,
    assistant({ type: "thinking", thinking: "Hm." }, text("x")),
  ]),
  breach("thinking_shape", "messages[1].content[0]", "redacted thinking has no data", [
    ask,
    assistant({ type: "redacted_thinking" }, text("x")),
  ]),
  breach("thinking_first", "messages[1].content[0]", "a text stands before thinking that calls a tool", [
    ask,
    assistant(text("x"), thinking, use("a")),
    user(result("a")),
  ]),
  breach("thinking_last", "messages[1].content[0]", "a message is nothing but thinking", [
    ask,
    assistant(thinking),
    ask,
  ]),
  breach(
    "cache_control_limit",
    "messages",
    "five blocks are marked",
    [user(text("a", marked), text("b", marked), text("c", marked), text("d", marked))],
    [text("x", marked)],
  ),
];

const ACCEPTED: readonly [MessageFormatName, string, RenderedContext][] = [
  ["openai", "an empty assistant text", { messages: [ask, { role: "assistant", content: "" }] }],
  ["openai", "a refusal without content", { messages: [ask, { role: "assistant", content: null, refusal: "No." }] }],
  ["openai", "audio without content", { messages: [ask, { role: "assistant", audio: { id: "audio_1" } }] }],
  [
    "openai",
    "an older function call and its answer",
    {
      messages: [
        ask,
        { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } },
        { role: "function", name: "f", content: "ok" },
      ],
    },
  ],
  [
    "openai",
    "results in another order than their calls",
    { messages: [ask, calling(call("a"), call("b")), answer("b"), answer("a")] },
  ],
  [
    "openai",
    "an id that returns in a later batch",
    { messages: [ask, calling(call("a")), answer("a"), calling(call("a")), answer("a")] },
  ],
  [
    "openai",
    "a custom tool",
    { messages: [ask, calling({ id: "a", type: "custom", custom: { name: "sql", input: "x" } }), answer("a")] },
  ],
  ["openai", "a developer message in the middle", { messages: [ask, { role: "developer", content: "Be brief." }] }],
  ["openai", "a part of a kind not known here", { messages: [{ role: "user", content: [{ type: "video_url" }] }] }],
  [
    "anthropic",
    "consecutive messages of one role",
    { messages: [ask, ask, assistant(text("x")), assistant(text("y"))] },
  ],
  ["anthropic", "an empty final assistant message", { messages: [ask, { role: "assistant", content: "" }] }],
  ["anthropic", "a string as system prompt", { system: "Be kind.", messages: [ask] }],
  [
    "anthropic",
    "an instruction after the user",
    { messages: [ask, instruction, assistant(text("x")), ask, instruction] },
  ],
  [
    "anthropic",
    "an instruction after a server tool's result",
    {
      messages: [
        ask,
        assistant({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }),
        instruction,
      ],
    },
  ],
  [
    "anthropic",
    "results first, then text, without content and as blocks",
    {
      messages: [
        ask,
        assistant(thinking, text("x"), use("a"), use("b")),
        user(
          result("b", { content: [{ type: "image", source: {} }] }),
          { type: "tool_result", tool_use_id: "a" },
          text("y"),
        ),
      ],
    },
  ],
  [
    "anthropic",
    "thinking that interleaves with server tools",
    {
      messages: [
        ask,
        assistant({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }, thinking, use("a")),
        user(result("a")),
      ],
    },
  ],
  [
    "anthropic",
    "documents and compaction blocks",
    { messages: [user({ type: "document" }), assistant({ type: "compaction" })] },
  ],
  [
    "anthropic",
    "four marked blocks",
    { system: [text("x", marked)], messages: [user(text("a", marked), text("b", marked), text("c", marked))] },
  ],
];

describe.each([
  ["openai", OPENAI_RULES, OPENAI_BREACHES],
  ["anthropic", ANTHROPIC_RULES, ANTHROPIC_BREACHES],
] as const)("the rules of %s", (name, rules, breaches) => {
  it.each(breaches.map((each) => [each.rule, each.because, each] as const))(
    "%s is broken when %s",
    (rule, _because, each) => {
      const violations = messageFormats[name].check(each.context);
      expect(violations).toContainEqual({ rule, path: each.path, detail: expect.stringMatching(/\S/) });
    },
  );

  it("are each broken by one of these contexts", () => {
    expect([...new Set(breaches.map((each) => each.rule))].sort()).toEqual(Object.keys(rules).sort());
  });

  it.each(ACCEPTED.filter(([format]) => format === name))("of %s allow %s", (_format, _what, context) => {
    expect(messageFormats[name].check(context)).toEqual([]);
  });

  it("report violations without any content", () => {
    const secret = "hunter2-is-the-password";
    const messages: JsonObject[] = [
      { role: secret, content: secret },
      { role: "user", content: [{ type: "text", text: secret, note: secret }] },
      { role: "assistant", content: [{ type: "tool_use", id: 5, name: `${secret} `, input: secret }] },
    ];
    const violations = messageFormats[name].check({ system: [secret], messages });
    expect(violations.length).toBeGreaterThan(0);
    expect(JSON.stringify(violations)).not.toContain(secret);
  });
});
