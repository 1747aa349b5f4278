import { LlmClient, type LlmDependencies, LlmError, type LlmOptions, type WireName } from "../../src/llm/index.ts";
import { systemClock } from "../../src/model/clock.ts";
import type { LlmCall } from "../../src/model/llm-call.ts";
import type { ScriptedLlm } from "../support/scripted-llm.ts";

export const KEY = "sk-canary-key-4711";
export const WIRES: readonly WireName[] = ["openai-chat", "anthropic-messages"];

export interface ObservedClient {
  readonly client: LlmClient;
  /** What was told of its calls. */
  readonly calls: LlmCall[];
}

/** A client of the scripted server with a short deadline, which waits no time between attempts unless told to. */
export function clientOf(
  llm: Pick<ScriptedLlm, "url" | "openaiUrl">,
  api: WireName,
  options: Partial<LlmOptions> = {},
  dependencies: Partial<LlmDependencies> = {},
): ObservedClient {
  const calls: LlmCall[] = [];
  const client = new LlmClient(
    {
      role: "summarizer",
      api,
      baseUrl: api === "openai-chat" ? llm.openaiUrl : llm.url,
      model: "test-model",
      temperature: null,
      headers: {},
      deadlineMs: 5_000,
      attempts: 1,
      concurrency: 2,
      maxResponseBytes: 1 << 20,
      maxOutputTokens: 200,
      maxInputTokens: "auto",
      ...options,
    },
    {
      clock: systemClock,
      apiKey: () => KEY,
      observe: (call) => calls.push(call),
      pause: async () => {},
      ...dependencies,
    },
  );
  return { client, calls };
}

export const PROMPT = { system: "Summarise.", user: "canary-prompt: what happened?" };

/** The error that a call ends with; fails the test when it ends well or with anything else. */
export async function failureOf(call: Promise<unknown>): Promise<LlmError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof LlmError) return error;
    throw error;
  }
  throw new Error("the call was answered");
}
