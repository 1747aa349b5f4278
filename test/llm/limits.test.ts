import { describe, expect, test } from "vitest";
import type { WireName } from "../../src/llm/index.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";
import { clientOf, failureOf, KEY, PROMPT } from "./client-of.ts";

type Also = (method: string, path: string, body: unknown) => unknown;

/** Backends as their documentation shows their replies. */
const backends = {
  vllm: (method, path, body) => {
    if (path === "/v1/models") {
      const card = { object: "model", created: 1, owned_by: "vllm", root: "test-model", parent: null, permission: [] };
      return { object: "list", data: [{ id: "test-model", ...card, max_model_len: 32_768 }] };
    }
    if (`${method} ${path}` !== "POST /tokenize") return null;
    const { messages } = body as { messages?: unknown[] };
    return { count: messages ? 17 : 1, max_model_len: 32_768, tokens: [1, 2, 3], token_strs: null };
  },
  // Behind a gateway that lists its models in its own way.
  "vllm's /tokenize alone": (method, path) =>
    `${method} ${path}` === "POST /tokenize" ? { count: 1, max_model_len: 16_384, tokens: [1] } : null,
  "llama.cpp": (_method, path) => {
    if (path === "/v1/models") {
      const meta = { vocab_type: 2, n_vocab: 128_256, n_ctx_train: 131_072, n_embd: 4096 };
      return { object: "list", data: [{ id: "m.gguf", object: "model", created: 1, owned_by: "llamacpp", meta }] };
    }
    if (path === "/tokenize") return { tokens: [1, 2] };
    const settings = { id: 0, id_task: -1, n_ctx: 8192, speculative: false, params: { n_predict: -1 } };
    return path === "/props" ? { default_generation_settings: settings, total_slots: 4, model_path: "m.gguf" } : null;
  },
  ollama: (_method, path) => {
    const details = { parent_model: "", format: "gguf", family: "qwen2", parameter_size: "494M" };
    if (path === "/v1/models") return { object: "list", data: [{ id: "test-model:latest", owned_by: "library" }] };
    if (path !== "/api/ps") return null;
    const model = { name: "test-model:latest", model: "test-model:latest", size: 1, details, context_length: 6144 };
    return { models: [{ ...model, name: "other:1b", model: "other:1b", context_length: 2048 }, model] };
  },
  "ollama before it loads the model": (_method, path) => (path === "/api/ps" ? { models: [] } : null),
  "ollama with a Modelfile": (method, path) => {
    if (path === "/api/ps") return { models: [] };
    const parameters = 'num_keep                       24\nnum_ctx                        12000\nstop "x"';
    const info = { "general.architecture": "llama", "llama.context_length": 131_072 };
    return `${method} ${path}` === "POST /api/show" ? { parameters, model_info: info } : null;
  },
} satisfies Record<string, Also>;

async function limitsOf(also: Also | null, api: WireName = "openai-chat", windowOf: () => number | null = () => null) {
  await using llm = await ScriptedLlm.start(() => "x", also ? { also } : {});
  const { client } = clientOf(llm, api, {}, { windowOf });
  return { limits: await client.limits(), input: await client.maxInputTokens(), paths: llm.paths };
}

describe("limits", () => {
  test.each([
    ["vllm", { contextTokens: 32_768, source: "vllm" }],
    ["vllm's /tokenize alone", { contextTokens: 16_384, source: "vllm" }],
    ["llama.cpp", { contextTokens: 8192, source: "llama.cpp" }],
    ["ollama", { contextTokens: 6144, source: "ollama" }],
    ["ollama before it loads the model", { contextTokens: 4096, source: "ollama" }],
    ["ollama with a Modelfile", { contextTokens: 12_000, source: "ollama" }],
  ] as const)("are told by %s", async (backend, limits) => {
    expect((await limitsOf(backends[backend])).limits).toEqual(limits);
  });

  test("come from the catalogue where the backend tells none, and are unknown beyond that", async () => {
    expect((await limitsOf(null, "openai-chat", () => 200_000)).limits).toEqual({
      contextTokens: 200_000,
      source: "catalogue",
    });
    const anthropic = await limitsOf(null, "anthropic-messages", () => 200_000);
    expect(anthropic).toMatchObject({ limits: { contextTokens: 200_000, source: "catalogue" }, paths: [] });
    expect((await limitsOf(null)).limits).toEqual({ contextTokens: null, source: null });
  });

  test("leave room for the answer and for errors of counting", async () => {
    expect((await limitsOf(backends["llama.cpp"])).input).toBe(Math.floor(8192 * 0.9) - 200);
    expect((await limitsOf(null)).input).toBe(8000);
    await using llm = await ScriptedLlm.start(() => "x");
    expect(await clientOf(llm, "openai-chat", { maxInputTokens: 1234 }).client.maxInputTokens()).toBe(1234);
    expect(llm.paths).toEqual([]);
  });

  test("are asked once for many, kept, and asked again after a while", async () => {
    let window = 8192;
    const also: Also = (_method, path) =>
      path === "/props" ? { default_generation_settings: { n_ctx: window }, total_slots: 1 } : null;
    await using llm = await ScriptedLlm.start(() => "x", { also });
    const time = { ms: 0 };
    const { client } = clientOf(llm, "openai-chat", {}, { clock: { now: () => 0, monotonic: () => time.ms } });
    await Promise.all([client.limits(), client.limits()]);
    time.ms = 599_999;
    window = 4096;
    expect((await client.limits()).contextTokens).toBe(8192);
    expect(llm.paths.filter((path) => path === "GET /props")).toHaveLength(1);
    time.ms = 600_000;
    const before = llm.paths.length;
    expect((await client.limits()).contextTokens).toBe(4096);
    // What answered last is asked first.
    expect(llm.paths.slice(before)).toEqual(["GET /props"]);
  });

  test("that are only a least are asked for again soon", async () => {
    let loaded: unknown[] = [];
    const also: Also = (_method, path) => (path === "/api/ps" ? { models: loaded } : null);
    await using llm = await ScriptedLlm.start(() => "x", { also });
    const time = { ms: 0 };
    const { client } = clientOf(llm, "openai-chat", {}, { clock: { now: () => 0, monotonic: () => time.ms } });
    expect((await client.limits()).contextTokens).toBe(4096);
    loaded = [{ name: "test-model", model: "test-model", context_length: 32_000 }];
    time.ms = 30_000;
    expect((await client.limits()).contextTokens).toBe(32_000);
  });

  test.each([
    "not a window",
    { default_generation_settings: { n_ctx: -1 } },
    { default_generation_settings: null },
    [],
  ])("that make no sense are none: %j", async (reply) => {
    expect((await limitsOf((_method, path) => (path === "/props" ? reply : null))).limits.contextTokens).toBeNull();
  });

  test("are no reason to fail: nobody there, no key, an open breaker, a closed client", async () => {
    const gone = { url: "http://127.0.0.1:9", openaiUrl: "http://127.0.0.1:9/v1" };
    const unknown = { contextTokens: null, source: null };
    expect(await clientOf(gone, "openai-chat").client.limits()).toEqual(unknown);
    const keyless = () => {
      throw new Error("no key");
    };
    expect(await clientOf(gone, "openai-chat", {}, { apiKey: keyless }).client.limits()).toEqual(unknown);

    await using llm = await ScriptedLlm.start(() => ({ fault: "html" }));
    const { client } = clientOf(llm, "openai-chat");
    for (let call = 0; call < 5; call++) await failureOf(client.complete(PROMPT));
    const asked = llm.paths.length;
    expect(await client.limits()).toEqual(unknown);
    expect(await client.countTokens(PROMPT)).toBeNull();
    client.close();
    expect(await client.limits()).toEqual(unknown);
    expect(llm.paths).toHaveLength(asked);
  });
});

describe("a count", () => {
  test("of a prompt comes from vLLM and from Anthropic", async () => {
    await using vllm = await ScriptedLlm.start(() => "x", { also: backends.vllm });
    expect(await clientOf(vllm, "openai-chat").client.countTokens(PROMPT)).toBe(17);
    await using anthropic = await ScriptedLlm.start(() => "x", { apiKey: KEY });
    expect(await clientOf(anthropic, "anthropic-messages").client.countTokens(PROMPT)).toBe(11);
  });

  test("is none where the backend does not count prompts", async () => {
    await using llama = await ScriptedLlm.start(() => "x", { also: backends["llama.cpp"] });
    const { client } = clientOf(llama, "openai-chat");
    expect(await client.countTokens(PROMPT)).toBeNull();
    await client.limits();
    const asked = llama.paths.length;
    expect(await client.countTokens(PROMPT)).toBeNull();
    expect(llama.paths).toHaveLength(asked);
  });
});
