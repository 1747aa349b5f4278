import { describe, expect, test } from "vitest";
import { readSecretFile } from "../../src/config/index.ts";
import { type LlmSettings, openLlm } from "../../src/llm/index.ts";
import { systemClock } from "../../src/model/clock.ts";
import type { LlmCall } from "../../src/model/llm-call.ts";
import { configWith } from "../config/config-with.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { failureOf, KEY, PROMPT } from "./client-of.ts";

function opened(settings: LlmSettings) {
  const calls: LlmCall[] = [];
  const log = new RecordingLog();
  const dependencies = {
    clock: systemClock,
    log,
    readKeyFile: readSecretFile,
    observe: (call: LlmCall) => calls.push(call),
  };
  return { llm: openLlm(settings, dependencies), calls, log };
}

const settingsOf = (sections: Readonly<Record<string, Record<string, unknown>>>): LlmSettings =>
  configWith(Object.fromEntries(Object.entries(sections).map(([role, value]) => [`llm.${role}`, value as never]))).llm;

describe("the models of a config", () => {
  test("are none by default", () => {
    const { llm } = opened(configWith().llm);
    expect([llm.summarizer, llm.judge, llm.breakers()]).toEqual([null, null, []]);
    llm.close();
  });

  test("judge with the summarizer's model unless the judge has its own; breaker and queue are then shared", async () => {
    await using server = await ScriptedLlm.start(() => ({ fault: "status", status: 400 }));
    const { llm, calls, log } = opened(
      settingsOf({ summarizer: { base_url: `${server.openaiUrl}/`, model: "small" } }),
    );
    for (let call = 0; call < 5; call++) await failureOf(llm.summarizer!.complete(PROMPT));
    expect((await failureOf(llm.judge!.complete(PROMPT))).reason).toBe("breaker_open");
    expect(calls.map(({ role }) => role)).toEqual([...new Array(5).fill("summarizer"), "judge"]);
    expect(llm.breakers()).toEqual([{ provider: "openai", model: "small", state: "open" }]);
    expect(log.lines).toMatchObject([{ level: "warn", fields: { model: "small", state: "open" } }]);
    llm.close();
    expect((await failureOf(llm.judge!.complete(PROMPT))).reason).toBe("breaker_open");
  });

  test("may differ in everything", async () => {
    await using server = await ScriptedLlm.start(({ api }) => api);
    const { llm } = opened(
      settingsOf({
        summarizer: { base_url: server.openaiUrl, model: "small" },
        judge: { api: "anthropic-messages", base_url: server.url, model: "large" },
      }),
    );
    expect((await llm.summarizer!.complete(PROMPT)).text).toBe("openai-chat");
    expect((await llm.judge!.complete(PROMPT)).text).toBe("anthropic-messages");
    expect(llm.breakers().map(({ model }) => model)).toEqual(["small", "large"]);
    expect(server.requests.map(({ body }) => body["temperature"])).toEqual([0, undefined]);
  });

  test("take a renewed key from the file without a restart, and say when it is gone", async () => {
    using folder = temporaryFolder();
    await using server = await ScriptedLlm.start(() => "x");
    const file = folder.write("key", "first\n");
    const { llm } = opened(settingsOf({ judge: { base_url: server.openaiUrl, model: "m", api_key_file: file } }));
    await llm.judge!.complete(PROMPT);
    folder.write("key", "second\n");
    await llm.judge!.complete(PROMPT);
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
    folder.write("key", "");
    expect((await failureOf(llm.judge!.complete(PROMPT))).reason).toBe("unauthorized");
    expect(server.requests).toHaveLength(2);
  });

  test.each(["", "two words", "tab\tand\nline"])("are refused with the key's place when its file holds %j", (text) => {
    using folder = temporaryFolder();
    const settings = (file: string) =>
      settingsOf({ summarizer: { base_url: "http://localhost/v1", model: "m", api_key_file: file } });
    const problem = "llm.summarizer.api_key_file names no file that can be read and holds one key.";
    expect(() => opened(settings(folder.write("key", text)))).toThrow(problem);
    expect(() => opened(settings(`${folder.path}/none`))).toThrow(problem);
  });

  test.each([
    ["http://llm.example/v1", KEY, true],
    ["https://llm.example/v1", KEY, false],
    ["http://127.0.0.1:1/v1", KEY, false],
    ["http://llm.example/v1", null, false],
  ])("at %s with the key %s: a warning that it travels in clear: %s", (base_url, api_key, warned) => {
    const { log } = opened(settingsOf({ summarizer: { base_url, model: "m", api_key } }));
    expect(log.lines.map(({ level }) => level)).toEqual(warned ? ["warn"] : []);
    expect(log.text).not.toContain(KEY);
  });
});
