import { describe, expect, test } from "vitest";
import { ScriptedLlm } from "../support/scripted-llm.ts";
import { clientOf, failureOf, KEY, PROMPT, WIRES } from "./client-of.ts";

describe.each(WIRES)("over %s, a call", (api) => {
  test("brings the text, the tokens and the model that answered", async () => {
    await using llm = await ScriptedLlm.start(({ user }) => `Of ${user.length} characters.`, { apiKey: KEY });
    const { client } = clientOf(llm, api);
    expect(await client.complete(PROMPT)).toEqual({
      text: "Of 29 characters.",
      inputTokens: 11,
      outputTokens: 5,
      model: api === "openai-chat" ? "test-model-2026-01-01" : "test-model",
      stopReason: "end",
    });
    expect(llm.requests[0]).toMatchObject({ api, model: "test-model", ...PROMPT, maxOutputTokens: 200 });
  });

  test("asks for fewer tokens than the client's limit, never for more", async () => {
    await using llm = await ScriptedLlm.start(() => "x");
    const { client } = clientOf(llm, api);
    await client.complete({ ...PROMPT, maxOutputTokens: 50 });
    await client.complete({ ...PROMPT, maxOutputTokens: 5000 });
    expect(llm.requests.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([50, 200]);
  });

  test("sends no instructions when there are none, and no key when there is none", async () => {
    await using llm = await ScriptedLlm.start(() => "x");
    const { client } = clientOf(llm, api, {}, { apiKey: () => null });
    await client.complete({ system: "", user: "hello" });
    const [request] = llm.requests;
    expect(request?.body["system"]).toBeUndefined();
    expect(request?.body["messages"]).toEqual([{ role: "user", content: "hello" }]);
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.headers["x-api-key"]).toBeUndefined();
  });

  test("carries the configured headers over its own", async () => {
    await using llm = await ScriptedLlm.start(() => "x");
    const own = api === "openai-chat" ? "Authorization" : "X-API-Key";
    const { client } = clientOf(llm, api, { headers: { [own]: "mine", "x-team": "context" } });
    await client.complete(PROMPT);
    expect(llm.requests[0]?.headers).toMatchObject({ [own.toLowerCase()]: "mine", "x-team": "context" });
  });

  test("tells when the text was cut", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "half a sen", stop: "max_tokens" }));
    expect((await clientOf(llm, api).client.complete(PROMPT)).stopReason).toBe("max_tokens");
  });

  test("reads an answer that is gzipped unasked", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "packed", gzip: true }));
    expect((await clientOf(llm, api).client.complete(PROMPT)).text).toBe("packed");
  });

  test("is told with its tokens, its cost and its attempts, never with what was said", async () => {
    await using llm = await ScriptedLlm.start((_, index) =>
      index === 0 ? { fault: "status", status: 503 } : { text: "canary-answer", inputTokens: 2_000, outputTokens: 100 },
    );
    const prices = { input: 3, output: 15, cache_read: null, cache_write: null };
    const { client, calls } = clientOf(llm, api, { attempts: 2 }, { pricesOf: () => prices });
    await client.complete(PROMPT);
    expect(calls).toEqual([
      {
        role: "summarizer",
        provider: api === "openai-chat" ? "openai" : "anthropic",
        model: "test-model",
        operation: "chat",
        outcome: "ok",
        seconds: expect.any(Number),
        inputTokens: 2_000,
        outputTokens: 100,
        usd: expect.closeTo(0.0075, 10),
        attempts: 2,
      },
    ]);
    expect(JSON.stringify(calls)).not.toContain("canary");
  });

  test("that a filter declined is no answer, and no fault of the backend", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "I cannot help with that.", stop: "filtered" }));
    const { client } = clientOf(llm, api);
    for (let call = 0; call < 6; call++) {
      expect((await failureOf(client.complete(PROMPT))).reason).toBe("filtered");
    }
  });

  test("ends at once when its caller gives up, before and while it runs", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    const { client, calls } = clientOf(llm, api);
    expect((await failureOf(client.complete({ ...PROMPT, signal: AbortSignal.abort() }))).reason).toBe("aborted");
    expect(llm.requests).toHaveLength(0);
    const controller = new AbortController();
    llm.script = () => {
      controller.abort();
      return { fault: "hang" };
    };
    expect((await failureOf(client.complete({ ...PROMPT, signal: controller.signal }))).reason).toBe("aborted");
    expect(calls.map(({ outcome }) => outcome)).toEqual(["aborted", "aborted"]);
  });

  test("ends when the client is closed, and none begins after that", async () => {
    await using llm = await ScriptedLlm.start(() => ({ fault: "hang" }));
    const { client } = clientOf(llm, api);
    llm.script = () => {
      client.close();
      return { fault: "hang" };
    };
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("closed");
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("closed");
    expect(llm.requests).toHaveLength(1);
  });
});

describe("parameters that a model does not take", () => {
  test("are renamed or left out after the first refusal, and for good", async () => {
    await using llm = await ScriptedLlm.start(() => "thought", { reasoning: true });
    const { client, calls } = clientOf(llm, "openai-chat", { temperature: 0 });
    expect((await client.complete(PROMPT)).text).toBe("thought");
    expect(llm.requests[0]?.body).toMatchObject({ max_completion_tokens: 200 });
    expect(llm.requests[0]?.body).not.toHaveProperty("temperature");
    const before = llm.paths.length;
    await client.complete(PROMPT);
    expect(llm.paths.length - before).toBe(1);
    expect(calls.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });

  test("of Anthropic are left out likewise, and sent to the version that takes them", async () => {
    await using llm = await ScriptedLlm.start(() => "x");
    await clientOf(llm, "anthropic-messages", { temperature: 0.5 }).client.complete(PROMPT);
    const headers = { "anthropic-version": "2023-06-01" };
    await clientOf(llm, "anthropic-messages", { temperature: 0.5, headers }).client.complete(PROMPT);
    expect(llm.requests.map(({ body }) => body["temperature"])).toEqual([undefined, 0.5]);
  });
});

describe("thoughts in an answer", () => {
  test.each([
    ["<think>hm, let me see</think>\nThe answer.", "The answer."],
    ["The <think> tag is kept.", "The <think> tag is kept."],
  ])("%j reads %j", async (text, expected) => {
    await using llm = await ScriptedLlm.start(() => text);
    expect((await clientOf(llm, "openai-chat").client.complete(PROMPT)).text).toBe(expected);
  });

  test("that were cut before their end leave no answer", async () => {
    await using llm = await ScriptedLlm.start(() => ({ text: "<think>hm, let me", stop: "max_tokens" }));
    expect((await failureOf(clientOf(llm, "openai-chat").client.complete(PROMPT))).reason).toBe("empty");
  });
});

describe("calls at once", () => {
  /** A server that holds all answers until told. */
  async function holding() {
    const held: (() => void)[] = [];
    let arrived = () => {};
    const llm = await ScriptedLlm.start(async () => {
      arrived();
      await new Promise<void>((resolve) => held.push(resolve));
      return "done";
    });
    const arrival = () => new Promise<void>((resolve) => (arrived = resolve));
    return { llm, held, arrival };
  }

  test("are no more than the limit; the next begins when one ends", async () => {
    const { llm, held, arrival } = await holding();
    await using _server = llm;
    const { client } = clientOf(llm, "openai-chat", { concurrency: 1 });
    let arrived = arrival();
    const first = client.complete(PROMPT);
    const second = client.complete(PROMPT);
    await arrived;
    expect(llm.requests).toHaveLength(1);
    arrived = arrival();
    held.shift()?.();
    await first;
    await arrived;
    expect(llm.requests).toHaveLength(2);
    held.shift()?.();
    expect((await second).text).toBe("done");
  });

  test("beyond the queue are refused at once; those in the queue end at their deadline without a request", async () => {
    const { llm, held, arrival } = await holding();
    await using _server = llm;
    const { client, calls } = clientOf(llm, "openai-chat", { concurrency: 1, queue: 1, deadlineMs: 200 });
    const arrived = arrival();
    const first = failureOf(client.complete(PROMPT));
    await arrived;
    const second = failureOf(client.complete(PROMPT));
    const full = await failureOf(client.complete(PROMPT));
    expect(full).toMatchObject({ reason: "queue_full", retryable: true });
    expect([(await first).reason, (await second).reason]).toEqual(["deadline", "deadline"]);
    expect(llm.requests.length).toBeLessThanOrEqual(2);
    expect(calls.find(({ outcome }) => outcome === "queue_full")?.attempts).toBe(0);
    for (const release of held) release();
  });
});
