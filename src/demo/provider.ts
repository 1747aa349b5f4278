import type { ContextdClient } from "../client/index.ts";
import type { JsonObject } from "../model/json.ts";
import type { MessageFormatName } from "../model/message.ts";

/**
 * A provider counts a few percent more than its public tokenizer: frames of messages and tools that it does not tell
 * of. With it the daemon's anchoring and calibration have something to learn.
 */
const COUNTED_BY_PROVIDER = 1.04;
/** Characters of an answer in a token, about. */
const CHARACTERS_PER_TOKEN = 4;

/**
 * Reports usage as a provider would, for agents without one: from the daemon's own count before calibration, the
 * context's prefix that was there at the request before being a cache hit.
 */
export class Provider {
  readonly #client: ContextdClient;
  readonly #format: MessageFormatName;
  #sent: readonly string[] = [];

  constructor(format: MessageFormatName, client: ContextdClient) {
    this.#format = format;
    this.#client = client;
  }

  /** Takes note of a request; answers the share of it that the cache has. */
  request(messages: readonly JsonObject[]): number {
    const sent = messages.map((message) => JSON.stringify(message));
    const length = (texts: readonly string[]) => texts.reduce((sum, text) => sum + text.length, 0);
    const differs = sent.findIndex((text, index) => text !== this.#sent[index]);
    const same = differs === -1 ? sent : sent.slice(0, differs);
    this.#sent = sent;
    return sent.length === 0 ? 0 : length(same) / length(sent);
  }

  /** Usage of the request that the session's context is now, with this answer. */
  async usage(sessionId: string, cachedShare: number, answer: JsonObject): Promise<JsonObject> {
    const params = { session_id: sessionId, include: [] };
    const context = await this.#client.call<{ raw_tokens: number }>("context.get", params, { readOnly: true });
    const prompt = Math.round(context.raw_tokens * COUNTED_BY_PROVIDER);
    const cached = Math.floor(prompt * cachedShare);
    const output_tokens = Math.ceil(JSON.stringify(answer).length / CHARACTERS_PER_TOKEN);
    if (this.#format === "openai") return { input_tokens: prompt, output_tokens, cache_read_input_tokens: cached };
    return {
      input_tokens: 0,
      output_tokens,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: prompt - cached,
    };
  }
}
