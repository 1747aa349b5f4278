import { describe, expect, test } from "vitest";
import { conversationIn, parseRun } from "../../src/replay/recorded-run.ts";

const jsonl = (...lines: readonly object[]) => lines.map((line) => JSON.stringify(line)).join("\n");
const user = { role: "user", content: "Mend it." };
const assistant = { role: "assistant", content: "Done." };

describe("a recorded run", () => {
  test("may tell about itself in its first line", () => {
    const run = parseRun(jsonl({ id: "r1", family: "bench", task: "t1" }, user, assistant), "runs/a.jsonl");
    expect(run).toMatchObject({ id: "r1", family: "bench", task: "t1", format: "openai" });
    expect(run.conversation.messages).toEqual([user, assistant]);
  });

  test("without such a line has the name of its file", () => {
    expect(parseRun(jsonl(user, assistant), "runs/a.jsonl")).toMatchObject({ id: "a", family: "run", task: null });
  });

  test("leaves out the tool's name that recorders add to a result", () => {
    const call = { id: "c1", type: "function", function: { name: "ls", arguments: "{}" } };
    const calling = { role: "assistant", content: "", tool_calls: [call] };
    const result = { role: "tool", tool_call_id: "c1", content: "a" };
    const run = parseRun(jsonl(user, calling, { ...result, name: "ls" }), "a");
    expect(run.conversation.messages).toEqual([user, calling, result]);
  });

  test("is Anthropic's when its content has tool_use blocks, and converts", () => {
    const use = { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "ls", input: { path: "/" } }] };
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "bin" }] };
    const run = parseRun(jsonl({ role: "system", content: "Be brief." }, user, use, result, assistant), "a");
    expect(run.format).toBe("anthropic");
    expect(run.conversation).toEqual({ system: "Be brief.", messages: [user, use, result, assistant] });
    expect(conversationIn(run, "openai").messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
  });

  test("is in the format that it names, where its messages do not tell", () => {
    const plain = (meta: object) => parseRun(jsonl(meta, user, assistant), "a");
    expect(plain({ id: "r" }).format).toBe("openai");
    expect(plain({ id: "r", format: "anthropic" })).toMatchObject({ format: "anthropic" });
    expect(plain({ id: "r", format: "anthropic", system: "Be brief." }).conversation.system).toBe("Be brief.");
    expect(plain({ id: "r", format: "openai" }).format).toBe("openai");
    expect(plain({ id: "r", format: "something else" }).format).toBe("openai");
  });

  test("has one prompt key for the same prompt in another temporary folder", () => {
    const asking = (folder: string) =>
      parseRun(jsonl({ role: "user", content: `Work in /tmp/${folder}.` }, assistant), "a").promptKey;
    expect(asking("x1")).toBe(asking("y2"));
    expect(asking("x1")).not.toBe(parseRun(jsonl(user, assistant), "a").promptKey);
  });

  test.each([
    ["{", /a:1 is no JSON/],
    ["[]", /a:1 is no JSON object/],
    [jsonl({ id: "r" }, { content: "x" }), /a message 1 has no role/],
    [jsonl(user), /a has no assistant message/],
    ["", /a has no assistant message/],
  ])("%j is refused", (text, message) => {
    expect(() => parseRun(text, "a")).toThrow(message);
  });
});
