import { z } from "zod";
import { anthropicHeaders, anthropicPrompt } from "../wire/anthropic-messages.ts";
import type { LimitsSource } from "./source.ts";

const counted = z.looseObject({ input_tokens: z.int().nonnegative() });

/** Anthropic counts prompts; the windows of its models are in the catalogue. */
export const anthropic: LimitsSource = {
  name: "anthropic",
  api: "anthropic-messages",

  async count(endpoint, prompt, ask) {
    const url = new URL(`${endpoint.baseUrl}/v1/messages/count_tokens`);
    const request = {
      method: "POST",
      url,
      headers: anthropicHeaders(endpoint),
      body: anthropicPrompt(endpoint, prompt),
    } as const;
    return counted.safeParse(await ask(request)).data?.input_tokens ?? null;
  },
};
