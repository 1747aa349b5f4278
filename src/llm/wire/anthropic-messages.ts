import { z } from "zod";
import { tooLong } from "./too-long.ts";
import type { Endpoint, Prompt, StopReason, Wire } from "./wire.ts";

/** Its requests take no sampling parameters; set an older one in `headers` for a model that needs its temperature. */
const VERSION = "2026-10-21";

const reply = z.looseObject({
  type: z.literal("message"),
  model: z.string().nullish(),
  content: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
  stop_reason: z.string().nullish(),
  usage: z
    .looseObject({
      input_tokens: z.number(),
      output_tokens: z.number(),
      cache_creation_input_tokens: z.number().nullish(),
      cache_read_input_tokens: z.number().nullish(),
    })
    .nullish()
    .catch(null),
});

const refusal = z.looseObject({ error: z.looseObject({ message: z.unknown() }) });

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  stop_sequence: "end",
  max_tokens: "max_tokens",
  model_context_window_exceeded: "max_tokens",
  refusal: "filtered",
};

/** Anthropic's messages. The base URL is the host (`https://api.anthropic.com`). */
export const anthropicMessages: Wire = {
  provider: "anthropic",

  request(endpoint, prompt, maxOutputTokens, dialect) {
    const { baseUrl, temperature } = endpoint;
    return {
      method: "POST",
      url: new URL(`${baseUrl}/v1/messages`),
      headers: anthropicHeaders(endpoint),
      body: {
        ...anthropicPrompt(endpoint, prompt),
        max_tokens: maxOutputTokens,
        ...(temperature !== null && dialect.sendsTemperature && { temperature }),
      },
    };
  },

  read(body) {
    const { success, data } = reply.safeParse(body);
    if (!success) return null;
    const { content, model, stop_reason: stop, usage } = data;
    const cacheRead = usage?.cache_read_input_tokens ?? 0;
    const cacheWrite = usage?.cache_creation_input_tokens ?? 0;
    return {
      text: content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join(""),
      stopReason: STOP_REASONS[stop ?? ""] ?? "other",
      model: model ?? null,
      // Anthropic's input_tokens leave out what the cache was read for and written with.
      usage: usage
        ? { input: usage.input_tokens + cacheRead + cacheWrite, cacheRead, cacheWrite, output: usage.output_tokens }
        : null,
    };
  },

  refusal(status, body) {
    if (tooLong(status, body)) return "context_too_long";
    const { message } = refusal.safeParse(body).data?.error ?? {};
    if (typeof message === "string" && /^temperature\b|`temperature`/.test(message)) return { sendsTemperature: false };
    return "other";
  },
};

export function anthropicHeaders({ apiKey, headers }: Endpoint): Record<string, string> {
  return { "anthropic-version": VERSION, ...(apiKey !== null && { "x-api-key": apiKey }), ...headers };
}

/** What a request for a reply and one for a count have in common. */
export function anthropicPrompt({ model }: Endpoint, { system, user }: Prompt): object {
  return { model, ...(system !== "" && { system }), messages: [{ role: "user", content: user }] };
}
