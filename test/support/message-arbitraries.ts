import fc from "fast-check";
import type { RenderedContext } from "../../src/messages/index.ts";
import type { Json, JsonObject } from "../../src/model/json.ts";
import type { MessageFormatName } from "../../src/model/message.ts";

/** A PNG of 3 x 2 pixels: header only, which is all that is read. */
export const PNG_3_BY_2 = pngHeader(3, 2);

export function pngHeader(width: number, height: number): string {
  const head = Buffer.alloc(33);
  head.write("\x89PNG\r\n\x1a\n", 0, "latin1");
  head.writeUInt32BE(13, 8);
  head.write("IHDR", 12, "latin1");
  head.writeUInt32BE(width, 16);
  head.writeUInt32BE(height, 20);
  return head.toString("base64");
}

const text = fc.oneof(fc.constant(""), fc.string({ unit: "binary" }), fc.string({ maxLength: 200 }));
const words = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 ,.!?\n]{0,40}[a-z.]$/);
const toolName = fc.stringMatching(/^[a-z][a-zA-Z0-9_-]{0,20}$/);
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const jsonObject = fc.dictionary(fc.string({ maxLength: 12 }), json, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

/** Fields that no format knows, `__proto__` and long strings among them, in front of or behind the known ones. */
const unknownFields = fc.dictionary(
  fc.oneof(fc.constantFrom("id", "name", "metadata", "annotations", "__proto__", "type_"), fc.string({ maxLength: 6 })),
  fc.oneof(json, fc.string({ minLength: 60, maxLength: 80 })),
  { maxKeys: 3 },
) as fc.Arbitrary<JsonObject>;

/** `known` with unknown fields on both sides, as the parser of a request would give it. */
function withUnknown(known: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.tuple(unknownFields, known, unknownFields).map(([before, message, after]) => {
    const owned = new Set(["role", "content", "tool_calls", "tool_call_id", "type", "text"]);
    const entries = [
      ...Object.entries(before).filter(([key]) => !owned.has(key) && !Object.hasOwn(message, key)),
      ...Object.entries(message),
      ...Object.entries(after).filter(([key]) => !owned.has(key) && !Object.hasOwn(message, key)),
    ];
    return Object.fromEntries(entries);
  });
}

const textPart = text.map((value) => ({ type: "text", text: value }));
const unknownPart = fc
  .tuple(fc.constantFrom("document", "mcp_tool_use", "file", "input_audio", "compaction", "x"), jsonObject)
  .map(([type, rest]) => ({ ...rest, type }));

const openAiImage = fc.constantFrom<JsonObject>(
  { type: "image_url", image_url: { url: `data:image/png;base64,${PNG_3_BY_2}`, detail: "low" } },
  { type: "image_url", image_url: { url: "https://images.example/a.png" } },
  { type: "image_url", image_url: "https://images.example/b.png" },
  { type: "image_url" },
);

const anthropicImage = fc.constantFrom<JsonObject>(
  { type: "image", source: { type: "base64", media_type: "image/png", data: PNG_3_BY_2 } },
  { type: "image", source: { type: "url", url: "https://images.example/a.png" } },
  { type: "image", source: { type: "file", file_id: "file_1" }, cache_control: { type: "ephemeral" } },
);

function contentOf(part: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.oneof(
    text.map((content): JsonObject => ({ content })),
    fc.array(part, { maxLength: 4 }).map((content): JsonObject => ({ content })),
    fc.constantFrom<JsonObject>({ content: null }, {}),
  );
}

const openAiCall = fc.oneof(
  fc
    .tuple(fc.string(), toolName, text)
    .map(([id, name, args]) => ({ id, type: "function", function: { name, arguments: args } })),
  fc.tuple(fc.string(), toolName, text).map(([id, name, input]) => ({ id, type: "custom", custom: { name, input } })),
  fc.tuple(fc.string(), jsonObject).map(([id, rest]) => ({ ...rest, id, type: "later_kind" })),
) as fc.Arbitrary<JsonObject>;

const openAiMessage = withUnknown(
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom("system", "developer", "user", "function"),
        contentOf(fc.oneof(textPart, openAiImage, unknownPart)),
      )
      .map(([role, content]) => ({ role, ...content })),
    fc
      .tuple(
        contentOf(fc.oneof(textPart, fc.constant({ type: "refusal", refusal: "No." }), unknownPart)),
        fc.oneof(fc.constantFrom<JsonObject>({}, { tool_calls: null }, { tool_calls: [] }), calls(openAiCall)),
        fc.constantFrom<JsonObject>(
          {},
          { refusal: null },
          { refusal: "No." },
          { function_call: { name: "f", arguments: "{}" } },
          { reasoning_content: "Let me think." },
          { thinking_blocks: [{ type: "thinking", thinking: "Hm.", signature: "c2ln" }] },
        ),
      )
      .map(([content, made, extra]) => ({ role: "assistant", ...content, ...made, ...extra })),
    fc.tuple(fc.string(), contentOf(textPart)).map(([id, content]) => ({ role: "tool", tool_call_id: id, ...content })),
  ) as fc.Arbitrary<JsonObject>,
);

function calls(call: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.array(call, { minLength: 1, maxLength: 3 }).map((list) => ({ tool_calls: list }));
}

const anthropicResult = fc
  .tuple(
    fc.string(),
    contentOf(fc.oneof(textPart, anthropicImage, unknownPart)),
    fc.constantFrom({}, { is_error: true }),
  )
  .map(([id, content, flag]) => ({ type: "tool_result", tool_use_id: id, ...content, ...flag }));

const anthropicPart = fc.oneof(
  textPart,
  anthropicImage,
  unknownPart,
  anthropicResult,
  fc.tuple(fc.string(), toolName, json).map(([id, name, input]) => ({ type: "tool_use", id, name, input })),
  fc.tuple(text, text).map(([thinking, signature]) => ({ type: "thinking", thinking, signature })),
  text.map((data) => ({ type: "redacted_thinking", data })),
) as fc.Arbitrary<JsonObject>;

const anthropicMessage = withUnknown(
  fc
    .tuple(fc.constantFrom("user", "assistant", "system"), contentOf(anthropicPart))
    .map(([role, content]) => ({ role, ...content })),
);

/** Messages of every shape that `split` accepts, valid or not, as they come out of a JSON parser. */
export const acceptedMessage: Readonly<Record<MessageFormatName, fc.Arbitrary<JsonObject>>> = {
  openai: openAiMessage.map(parsed),
  anthropic: anthropicMessage.map(parsed),
};

function parsed(value: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject;
}

/** A step of a valid conversation, before it has a provider's shape. */
interface Step {
  readonly ask: string | null;
  readonly say: string;
  readonly image: boolean;
  readonly think: boolean;
  readonly instruct: boolean;
  readonly calls: readonly { readonly name: string; readonly input: JsonObject; readonly result: string }[];
}

const step: fc.Arbitrary<Step> = fc.record({
  ask: fc.option(words, { freq: 3 }),
  say: fc.oneof(words, fc.constant("")),
  image: fc.boolean(),
  think: fc.boolean(),
  instruct: fc.boolean(),
  calls: fc.array(fc.record({ name: toolName, input: jsonObject, result: text }), { maxLength: 3 }),
});

const conversation = fc.record({
  system: fc.option(words),
  task: words,
  steps: fc.array(step, { maxLength: 6 }),
  closing: fc.constantFrom("none", "assistant", "user"),
  repeatIds: fc.boolean(),
});

type Conversation = typeof conversation extends fc.Arbitrary<infer T> ? T : never;

/** Conversations that the provider's rules allow. */
export const validContext: Readonly<Record<MessageFormatName, fc.Arbitrary<RenderedContext>>> = {
  openai: conversation.map(openAiContext),
  anthropic: conversation.map(anthropicContext),
};

function openAiContext({ system, task, steps, closing, repeatIds }: Conversation): RenderedContext {
  const messages: JsonObject[] = system === null ? [] : [{ role: "system", content: system }];
  messages.push({ role: "user", content: [{ type: "text", text: task }] });
  for (const [turn, { ask, say, image, calls: made }] of steps.entries()) {
    const url = `data:image/png;base64,${PNG_3_BY_2}`;
    if (ask !== null && image) {
      const content = [
        { type: "text", text: ask },
        { type: "image_url", image_url: { url } },
      ];
      messages.push({ role: "user", content });
    } else if (ask !== null) messages.push({ role: "user", content: ask });
    if (made.length === 0) {
      messages.push({ role: "assistant", content: say });
      continue;
    }
    const ids = made.map((_, index) => (repeatIds ? `call:${index}` : `call_${turn}_${index}`));
    messages.push({
      role: "assistant",
      content: say === "" ? null : say,
      tool_calls: made.map(({ name, input }, index) => ({
        id: ids[index] as string,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      })),
    });
    for (const [index, { result }] of made.entries()) {
      messages.push({ role: "tool", tool_call_id: ids[index] as string, content: result });
    }
  }
  if (closing === "assistant") messages.push({ role: "assistant", content: "Done. " });
  if (closing === "user") messages.push({ role: "user", content: "" });
  return { messages };
}

function anthropicContext({ system, task, steps, closing }: Conversation): RenderedContext {
  const messages: JsonObject[] = [{ role: "user", content: task }];
  for (const [turn, { ask, say, image, think, instruct, calls: made }] of steps.entries()) {
    if (ask !== null) messages.push({ role: "user", content: [{ type: "text", text: ask }] });
    const blocks: JsonObject[] = [];
    if (think && (say !== "" || made.length > 0)) {
      blocks.push({ type: "thinking", thinking: "Hm.", signature: "c2ln" }, { type: "redacted_thinking", data: "x" });
    }
    if (say !== "") blocks.push({ type: "text", text: say });
    const results: JsonObject[] = [];
    for (const [index, { name, input, result }] of made.entries()) {
      const id = `toolu_${turn}_${index}`;
      blocks.push({ type: "tool_use", id, name, input });
      const source = { type: "base64", media_type: "image/png", data: PNG_3_BY_2 };
      const content = image ? [{ type: "image", source }] : result;
      results.push({ type: "tool_result", tool_use_id: id, content });
    }
    if (instruct && blocks.length > 0 && messages.at(-1)?.["role"] === "user") {
      messages.push({ role: "system", content: "Be brief." });
    }
    if (blocks.length > 0) messages.push({ role: "assistant", content: blocks });
    if (results.length > 0) {
      if (image) results.push({ type: "text", text: "Look at these." });
      messages.push({ role: "user", content: results });
    }
  }
  if (closing === "assistant") messages.push({ role: "assistant", content: [] });
  if (closing === "user") messages.push({ role: "user", content: [{ type: "document", source: { type: "text" } }] });
  return system === null ? { messages } : { system: [{ type: "text", text: system }], messages };
}
