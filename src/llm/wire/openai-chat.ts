import { z } from "zod";
import { tooLong } from "./too-long.ts";
import type { Dialect, StopReason, Usage, Wire } from "./wire.ts";

/** Some servers answer a list of pieces; those that are no text (a model's thoughts) are not part of the answer. */
const content = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]);

const reply = z.looseObject({
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string().nullish(),
        message: z.looseObject({ content: content.nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .looseObject({
      prompt_tokens: z.number(),
      completion_tokens: z.number(),
      prompt_tokens_details: z.looseObject({ cached_tokens: z.number().nullish() }).nullish(),
    })
    .nullish()
    .catch(null),
});

/** Servers differ in which of these they fill in; vLLM once put them beside `object` instead of under `error`. */
const refusal = z.looseObject({
  message: z.unknown(),
  param: z.unknown(),
});

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  length: "max_tokens",
  content_filter: "filtered",
};

/** Thoughts that a server without a parser for them leaves in front of the answer; cut off before its end: all of it. */
const LEADING_THOUGHTS = /^\s*<think>[\s\S]*?(?:<\/think>\s*|$)/;

/**
 * OpenAI's chat completions, as OpenAI, Ollama, vLLM, llama.cpp, LM Studio and LiteLLM serve them. The base URL includes
 * the version (`…/v1`).
 */
export const openaiChat: Wire = {
  provider: "openai",

  request({ baseUrl, model, apiKey, temperature, headers }, { system, user }, maxOutputTokens, dialect) {
    return {
      method: "POST",
      url: new URL(`${baseUrl}/chat/completions`),
      headers: { ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }), ...headers },
      body: {
        model,
        messages: [...(system === "" ? [] : [{ role: "system", content: system }]), { role: "user", content: user }],
        [dialect.outputLimit]: maxOutputTokens,
        ...(temperature !== null && dialect.sendsTemperature && { temperature }),
        stream: false,
      },
    };
  },

  read(body) {
    const parsed = reply.safeParse(body);
    const choice = parsed.data?.choices[0];
    if (!parsed.success || !choice) return null;
    const { finish_reason: finish, message } = choice;
    const text = textOf(message.content ?? "").replace(LEADING_THOUGHTS, "");
    const declined = typeof message.refusal === "string" && text === "";
    return {
      text,
      stopReason: declined ? "filtered" : (STOP_REASONS[finish ?? ""] ?? "other"),
      model: parsed.data.model ?? null,
      usage: usageOf(parsed.data.usage),
    };
  },

  refusal(status, body) {
    if (tooLong(status, body)) return "context_too_long";
    const told = (body as { readonly error?: unknown } | undefined)?.error;
    const { message, param } = refusal.safeParse(typeof told === "object" ? told : body).data ?? {};
    return otherDialect(param, message) ?? "other";
  },
};

function textOf(value: z.output<typeof content>): string {
  if (typeof value === "string") return value;
  return value.map((piece) => (piece.type === "text" ? (piece.text ?? "") : "")).join("");
}

function usageOf(usage: z.output<typeof reply>["usage"]): Usage | null {
  if (!usage) return null;
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0;
  return { input: usage.prompt_tokens, cacheRead, cacheWrite: 0, output: usage.completion_tokens };
}

/** What to leave out or rename, where the refusal names one of the parameters that models differ in. */
function otherDialect(param: unknown, message: unknown): Partial<Dialect> | null {
  const named = typeof param === "string" ? param : /'(\w+)'/.exec(typeof message === "string" ? message : "")?.[1];
  if (named === "max_tokens") return { outputLimit: "max_completion_tokens" };
  if (named === "temperature") return { sendsTemperature: false };
  return null;
}
