import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { ScriptedLlm } from "../support/scripted-llm.ts";

/** The providers' own clients take the scripted server for the real one. */
const openaiOf = (llm: ScriptedLlm, maxRetries = 0, timeout = 5000) =>
  new OpenAI({ baseURL: llm.openaiUrl, apiKey: "sk-test", maxRetries, timeout });
const anthropicOf = (llm: ScriptedLlm, maxRetries = 0, timeout = 5000) =>
  new Anthropic({ baseURL: llm.url, apiKey: "sk-test", maxRetries, timeout });

const ask = {
  openai: (llm: ScriptedLlm, ...settings: [number?, number?]) =>
    openaiOf(llm, ...settings).chat.completions.create({
      model: "gpt-test",
      max_tokens: 50,
      messages: [
        { role: "system", content: "Be short." },
        { role: "user", content: "Hello" },
      ],
    }),
  anthropic: (llm: ScriptedLlm, ...settings: [number?, number?]) =>
    anthropicOf(llm, ...settings).messages.create({
      model: "claude-test",
      max_tokens: 50,
      system: "Be short.",
      messages: [{ role: "user", content: "Hello" }],
    }),
};

describe("the scripted LLM", () => {
  test("answers the client of OpenAI", async () => {
    await using llm = await ScriptedLlm.start(({ user }) => `You said ${user}.`, { apiKey: "sk-test" });
    const { choices, usage, model } = await ask.openai(llm);
    expect(choices[0]?.message.content).toBe("You said Hello.");
    expect(choices[0]?.finish_reason).toBe("stop");
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 });
    expect(model).toBe("gpt-test-2026-01-01");
    expect(llm.requests).toEqual([
      expect.objectContaining({
        api: "openai-chat",
        model: "gpt-test",
        system: "Be short.",
        user: "Hello",
        maxOutputTokens: 50,
      }),
    ]);
  });

  test("answers the client of Anthropic", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "Hi", stop: "max_tokens" }), { apiKey: "sk-test" });
    const message = await ask.anthropic(llm);
    expect(message).toMatchObject({
      type: "message",
      content: [{ type: "text", text: "Hi" }],
      stop_reason: "max_tokens",
      usage: { input_tokens: 5, output_tokens: 1 },
    });
    expect(llm.requests[0]).toMatchObject({ api: "anthropic-messages", system: "Be short.", user: "Hello" });
    const counted = await anthropicOf(llm).messages.countTokens({
      model: "claude-test",
      messages: [{ role: "user", content: "12345678" }],
    });
    expect(counted.input_tokens).toBe(2);
  });

  test.each([
    ["openai", { fault: "status", status: 429 }, OpenAI.RateLimitError],
    ["openai", { fault: "status", status: 500 }, OpenAI.InternalServerError],
    ["openai", { fault: "status", status: 403 }, OpenAI.PermissionDeniedError],
    ["openai", { fault: "context_too_long" }, OpenAI.BadRequestError],
    ["openai", { fault: "reset" }, OpenAI.APIConnectionError],
    ["openai", { fault: "invalid_json" }, SyntaxError],
    ["anthropic", { fault: "status", status: 429 }, Anthropic.RateLimitError],
    ["anthropic", { fault: "status", status: 529 }, Anthropic.InternalServerError],
    ["anthropic", { fault: "status", status: 401 }, Anthropic.AuthenticationError],
    ["anthropic", { fault: "context_too_long" }, Anthropic.BadRequestError],
    ["anthropic", { fault: "reset" }, Anthropic.APIConnectionError],
    ["anthropic", { fault: "truncated_json" }, SyntaxError],
  ] as const)("fails the client of %s as the provider does: %o", async (provider, fault, kind) => {
    await using llm = await ScriptedLlm.start(() => fault);
    await expect(ask[provider](llm)).rejects.toBeInstanceOf(kind);
  });

  test("tells the code of an overlong prompt and the parameter that a reasoning model refuses", async () => {
    await using long = await ScriptedLlm.start(() => ({ fault: "context_too_long" }));
    await expect(ask.openai(long)).rejects.toMatchObject({ code: "context_length_exceeded" });
    await using reasoning = await ScriptedLlm.start(() => "Hi", { reasoning: true });
    await expect(ask.openai(reasoning)).rejects.toMatchObject({ status: 400, param: "max_tokens" });
  });

  test("hangs until the client's own timeout", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    await expect(ask.openai(llm, 0, 100)).rejects.toBeInstanceOf(OpenAI.APIConnectionTimeoutError);
    await expect(ask.anthropic(llm, 0, 100)).rejects.toBeInstanceOf(Anthropic.APIConnectionTimeoutError);
  });

  test("is asked again by both clients after the time that Retry-After tells", async () => {
    await using llm = await ScriptedLlm.start((_, index) =>
      index % 2 === 0 ? { fault: "status", status: 429, retryAfter: "0.01" } : "better now",
    );
    expect((await ask.openai(llm, 1)).choices[0]?.message.content).toBe("better now");
    expect((await ask.anthropic(llm, 1)).content).toMatchObject([{ text: "better now" }]);
    expect(llm.requests).toHaveLength(4);
  });

  test("refuses a wrong key", async () => {
    await using llm = await ScriptedLlm.start(() => "Hi", { apiKey: "another" });
    await expect(ask.openai(llm)).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    await expect(ask.anthropic(llm)).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
  });

  test("refuses a temperature in the version of Anthropic's API that has none", async () => {
    await using llm = await ScriptedLlm.start(() => "Hi");
    const body = { model: "m", max_tokens: 5, messages: [{ role: "user", content: "x" }], temperature: 0 };
    await expect(anthropicOf(llm).post("/v1/messages", { body })).rejects.toThrow(/temperature: Extra inputs/);
    const headers = { "anthropic-version": "2023-06-01" };
    await expect(anthropicOf(llm).post("/v1/messages", { body, headers })).resolves.toMatchObject({ type: "message" });
  });
});
