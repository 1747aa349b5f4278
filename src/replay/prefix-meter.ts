import type { RelativePrices } from "../tokens/index.ts";
import type { Reading } from "./readings.ts";

/** The messages of a request; equal ones are one object. */
export interface SentMessages {
  /** One a message; of the system prompt first, where it stands beside the messages. */
  readonly readings: readonly Pick<Reading, "tokens">[];
  /** One a message. */
  readonly ids: readonly string[];
}

/** Tokens sent, and those that the provider's cache holds. */
export interface SentTokens {
  readonly tokensSent: number;
  /** Of these, in the longest common prefix with the request before, by message. */
  readonly prefixHits: number;
}

/** What tokens cost, in fresh input tokens. */
export function costOf({ tokensSent, prefixHits }: SentTokens, { read, write }: RelativePrices): number {
  return read * prefixHits + write * (tokensSent - prefixHits);
}

/** Adds up what requests send. A message is a prefix hit when it was sent before in this place, unchanged. */
export class PrefixMeter implements SentTokens {
  tokensSent = 0;
  prefixHits = 0;
  #previous: SentMessages = { readings: [], ids: [] };

  /** Answers what the request sends. */
  add(request: SentMessages): SentTokens {
    const { readings, ids } = request;
    const previous = this.#previous;
    const beside = readings.length - ids.length;
    let tokensSent = 0;
    let prefixHits = 0;
    let isPrefix = true;
    for (const [index, reading] of readings.entries()) {
      tokensSent += reading.tokens;
      isPrefix &&= previous.readings[index] === reading && previous.ids[index - beside] === ids[index - beside];
      if (isPrefix) prefixHits += reading.tokens;
    }
    this.tokensSent += tokensSent;
    this.prefixHits += prefixHits;
    this.#previous = request;
    return { tokensSent, prefixHits };
  }
}
