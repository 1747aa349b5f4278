import { describe, expect, it } from "vitest";
import { ModelCatalogue, relativePrices } from "../../src/tokens/catalogue.ts";
import { isClearSuffix, modelName } from "../../src/tokens/model-names.ts";
import { tokenizers } from "../../src/tokens/registry.ts";

const catalogue = new ModelCatalogue();

describe("a model's bare name", () => {
  it.each([
    ["gpt-4o", "gpt-4o"],
    [" OpenAI/GPT-4o ", "gpt-4o"],
    ["litellm_proxy/anthropic/claude-sonnet-4-5", "claude-sonnet-4-5"],
    ["azure/gpt-4.1", "gpt-4.1"],
    ["bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-sonnet-4-20250514-v1:0"],
    ["meta.llama3-1-70b-instruct-v1:0", "llama3-1-70b-instruct-v1:0"],
    ["ft:gpt-4o-2024-08-06:acme:bot:abc1", "gpt-4o-2024-08-06"],
    ["anthropic/claude-opus-4.6", "claude-opus-4-6"],
    ["models/gemini-2.5-pro", "gemini-2.5-pro"],
  ])("of %s is %s", (given, name) => {
    expect(modelName(given)).toBe(name);
  });

  it.each([
    "",
    "-2024-08-06",
    "-20250514-v1:0",
    "@20250929",
    "-latest",
    "-preview-05-06",
    "-0613",
    "-v2:0",
    ":8b",
    "-70b-instruct-fp8",
  ])("is the same model with %j behind", (suffix) => {
    expect(isClearSuffix(suffix)).toBe(true);
  });

  it.each(["-9", "-mini", "-ultra", "-pro-latest", "-2024-08-06x"])("may be another model with %j behind", (suffix) => {
    expect(isClearSuffix(suffix)).toBe(false);
  });

  it("is found in time for a hostile name", () => {
    const hostile = `gpt-4o${"-2024-08-06".repeat(20_000)}!`;
    const start = performance.now();
    catalogue.find(hostile);
    expect(performance.now() - start).toBeLessThan(1000);
  });
});

describe("the catalogue", () => {
  it.each([
    ["gpt-4o", "openai", "o200k_base", 128_000],
    ["gpt-4o-2024-08-06", "openai", "o200k_base", 128_000],
    ["gpt-4", "openai", "cl100k_base", 8192],
    ["gpt-4-0613", "openai", "cl100k_base", 8192],
    ["gpt-4-1106-preview", "openai", "cl100k_base", 128_000],
    ["gpt-4.1-mini", "openai", "o200k_base", 1_047_576],
    ["azure/gpt-35-turbo", "openai", "cl100k_base", 16_385],
    ["anthropic/claude-3-5-sonnet-20241022", "anthropic", "o200k_base", 200_000],
    ["bedrock/eu.anthropic.claude-opus-4-1-20250805-v1:0", "anthropic", "o200k_base", 200_000],
    ["claude-sonnet-4-5@20250929", "anthropic", "o200k_base", 200_000],
    ["openrouter/anthropic/claude-sonnet-4.6", "anthropic", "o200k_base", 1_000_000],
    ["gemini-2.5-pro-preview-05-06", "google", "o200k_base", 1_048_576],
    ["meta-llama/Llama-3.3-70B-Instruct", "meta", "o200k_base", 131_072],
    ["llama3.1:8b", "meta", "o200k_base", 131_072],
  ])("knows %s", (name, provider, encoding, context_window) => {
    const entry = catalogue.find(name);
    expect(entry).toMatchObject({ name, provider, encoding, context_window, guessed: false });
    expect(entry.prices === null).toBe(provider === "meta");
  });

  it("takes the longest name, not one that merely begins alike", () => {
    expect(catalogue.find("gpt-4o-mini").prices?.input).toBe(0.15);
    expect(catalogue.find("gpt-4.1").context_window).toBe(1_047_576);
    expect(catalogue.find("o3-mini").prices?.input).toBe(1.1);
    expect(catalogue.find("claude-sonnet-4-5").name).toBe("claude-sonnet-4-5");
  });

  it("says that the encoding is the model's own only where it is", () => {
    expect(catalogue.find("gpt-4o").exact).toBe(true);
    expect(catalogue.find("claude-opus-4-5").exact).toBe(false);
  });

  it("tells where a provider takes less input than the window", () => {
    expect(catalogue.find("gpt-5").max_input_tokens).toBe(272_000);
    expect(catalogue.find("gpt-4o").max_input_tokens).toBeNull();
  });

  it("guesses a variant it does not know from its nearest relative, and says so", () => {
    expect(catalogue.find("claude-opus-4-9")).toMatchObject({
      context_window: 200_000,
      guessed: true,
      exact: false,
      prices: null,
    });
  });

  it("guesses from the family, and at last from nothing", () => {
    expect(catalogue.find("claude-next")).toMatchObject({
      provider: "anthropic",
      context_window: 200_000,
      guessed: true,
    });
    expect(catalogue.find("my-own-model")).toEqual({
      name: "my-own-model",
      provider: "unknown",
      encoding: "o200k_base",
      exact: false,
      context_window: 128_000,
      max_input_tokens: null,
      max_output_tokens: null,
      prices: null,
      guessed: true,
    });
    expect(catalogue.find("")).toMatchObject({ guessed: true });
  });

  it("does not sell a fine-tuned model at its base model's price", () => {
    expect(catalogue.find("ft:gpt-4o-2024-08-06:acme::x")).toMatchObject({ prices: null, guessed: false, exact: true });
  });

  it("has sound figures for every model, and an encoding that can be counted", () => {
    for (const name of catalogue.names()) {
      const entry = catalogue.find(name);
      expect(entry.guessed, name).toBe(false);
      expect(Object.keys(tokenizers), name).toContain(entry.encoding);
      expect(entry.context_window, name).toBeGreaterThanOrEqual(8192);
      expect(entry.max_output_tokens ?? 1, name).toBeLessThanOrEqual(entry.context_window);
      expect(entry.max_input_tokens ?? 1, name).toBeLessThan(entry.context_window);
      if (entry.prices === null) continue;
      expect(entry.prices.output, name).toBeGreaterThanOrEqual(entry.prices.input);
      expect(entry.prices.cache_read ?? 0, name).toBeLessThan(entry.prices.input);
      expect(entry.prices.cache_write ?? entry.prices.input, name).toBeGreaterThanOrEqual(entry.prices.input);
    }
  });
});

describe("overrides", () => {
  it("win over the catalogue, member by member", () => {
    const own = new ModelCatalogue({ "gpt-4o": { context_window: 32_000 } });
    expect(own.find("openai/gpt-4o-2024-08-06")).toMatchObject({
      context_window: 32_000,
      encoding: "o200k_base",
      guessed: false,
    });
    expect(own.find("gpt-4o-mini").context_window).toBe(128_000);
  });

  it("make an unknown model known by its window", () => {
    const own = new ModelCatalogue({ "Local/My-Model": { context_window: 16_384, provider: "local" } });
    expect(own.find("my-model")).toMatchObject({ context_window: 16_384, provider: "local", guessed: false });
    expect(new ModelCatalogue({ "my-model": { provider: "local" } }).find("my-model").guessed).toBe(true);
  });

  it("of the encoding take the claim of exactness back, unless they make it", () => {
    expect(new ModelCatalogue({ "gpt-4o": { encoding: "chars" } }).find("gpt-4o").exact).toBe(false);
    expect(new ModelCatalogue({ m: { encoding: "cl100k_base", exact: true } }).find("m").exact).toBe(true);
  });

  it("of the window drop the catalogue's input limit", () => {
    expect(new ModelCatalogue({ "gpt-5": { context_window: 100_000 } }).find("gpt-5").max_input_tokens).toBeNull();
  });
});

describe("relative prices", () => {
  it("follow the list where it has them", () => {
    expect(relativePrices({ input: 4, output: 20, cache_read: 0.2, cache_write: 5 })).toEqual({
      read: 0.05,
      write: 1.25,
    });
  });

  it("charge a write as fresh input where none is listed", () => {
    expect(relativePrices({ input: 2.5, output: 10, cache_read: 1.25, cache_write: null })).toEqual({
      read: 0.5,
      write: 1,
    });
  });

  it("default to a tenth and five quarters", () => {
    expect(relativePrices(null)).toEqual({ read: 0.1, write: 1.25 });
    expect(relativePrices({ input: 1, output: 2, cache_read: null, cache_write: null })).toEqual({
      read: 0.1,
      write: 1.25,
    });
    expect(relativePrices({ input: 0, output: 0, cache_read: 0, cache_write: 0 })).toEqual({ read: 0.1, write: 1.25 });
  });
});
