import { describe, expect, test } from "vitest";
import { ConfigError, type ConfigSources, loadConfig, maskSecrets, NO_SOURCES } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { schemas } from "./config-with.ts";

const load = (environment: Record<string, string>, sources: Partial<ConfigSources> = {}) =>
  loadConfig({ ...NO_SOURCES, environment, ...sources }, schemas);

const LOCAL = "base_url: 'http://localhost:11434/v1', model: m";

function refusal(summarizer: string): string {
  try {
    load({ CONTEXTD_LLM__SUMMARIZER: `{${summarizer}}` });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error("the config was accepted");
}

describe("llm", () => {
  test("is no model by default", () => {
    expect(load({}).llm).toEqual({ summarizer: null, judge: null });
  });

  test("needs an address and a name; the rest has defaults", () => {
    expect(load({ CONTEXTD_LLM__SUMMARIZER: `{${LOCAL}}` }).llm.summarizer).toEqual({
      api: "openai-chat",
      base_url: "http://localhost:11434/v1",
      model: "m",
      api_key: null,
      api_key_file: null,
      headers: {},
      temperature: "auto",
      deadline_ms: 60_000,
      attempts: 3,
      concurrency: 2,
      max_response_bytes: 1_048_576,
      max_output_tokens: 1024,
      max_input_tokens: "auto",
    });
  });

  test("is set key by key from the environment", () => {
    const { llm } = load({
      CONTEXTD_LLM__JUDGE__API: "anthropic-messages",
      CONTEXTD_LLM__JUDGE__BASE_URL: "https://api.anthropic.com",
      CONTEXTD_LLM__JUDGE__MODEL: "claude",
      CONTEXTD_LLM__JUDGE__API_KEY: "0123",
      CONTEXTD_LLM__JUDGE__ATTEMPTS: "1",
    });
    expect(llm.judge).toMatchObject({ api: "anthropic-messages", model: "claude", api_key: "0123", attempts: 1 });
    expect(llm.summarizer).toBeNull();
  });

  test("takes the key's file from the environment as it is, and from a config file relative to that", () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", `llm: {summarizer: {${LOCAL}, api_key_file: keys/llm}}`);
    expect(load({}, { file }).llm.summarizer?.api_key_file).toBe(`${folder.path}/keys/llm`);
    const environment = { CONTEXTD_LLM__SUMMARIZER__API_KEY_FILE: "/run/secrets/llm" };
    expect(load(environment, { file }).llm.summarizer?.api_key_file).toBe("/run/secrets/llm");
  });

  test("prints neither key nor headers", () => {
    const config = load({ CONTEXTD_LLM__SUMMARIZER: `{${LOCAL}, api_key: canary, headers: {api-key: canary}}` });
    const printed = maskSecrets(config) as { llm: unknown };
    expect(printed.llm).toMatchObject({ summarizer: { model: "m", api_key: "<secret>", headers: "<secret>" } });
    expect(JSON.stringify(printed)).not.toContain("canary");
  });

  test.each([
    ["model: m", /llm.summarizer.base_url/],
    ["base_url: 'http://x/v1'", /llm.summarizer.model/],
    ["base_url: 'localhost:11434', model: m", /base_url must start with http:\/\/ or https:\/\//],
    ["base_url: 'file:///etc/passwd', model: m", /base_url must start with http/],
    ["base_url: 'x', model: m", /base_url must be a URL, such as/],
    ["base_url: 'http://u:canary@x/v1', model: m", /base_url must hold no user and password/],
    ["base_url: 'http://x/v1?key=canary', model: m", /base_url must end with its path/],
    [`${LOCAL}, api: openai`, /llm.summarizer.api .*openai-chat/],
    [`${LOCAL}, api_key: "can\\nary"`, /api_key must be one word/],
    [`${LOCAL}, api_key: canary, api_key_file: f`, /api_key_file is given beside api_key/],
    [`${LOCAL}, headers: {"a b": x}`, /headers/],
    [`${LOCAL}, headers: {Host: x}`, /headers cannot hold host/],
    [`${LOCAL}, temperature: 3`, /temperature/],
    [`${LOCAL}, deadline_ms: 0`, /deadline_ms must be a whole number/],
    [`${LOCAL}, dead_line_ms: 1`, /did you mean "deadline_ms"/],
  ])("{%s} is refused", (summarizer, message) => {
    const text = refusal(summarizer);
    expect(text).toMatch(message);
    expect(text).not.toContain("canary");
  });

  test("is no setting of sessions", () => {
    expect(() => load({ CONTEXTD_PROFILES: "{p: {llm: {}}}" })).toThrow(/llm/);
  });
});
