import type { RelativePrices } from "../tokens/index.ts";
import { costOf, PrefixMeter } from "./prefix-meter.ts";
import type { Reading } from "./readings.ts";

/** A request as the measure sees it. */
export interface MeasuredRequest {
  /** One a message; of the system prompt first, where it stands beside the messages. */
  readonly readings: readonly Reading[];
  /** One a message. */
  readonly ids: readonly string[];
  /** Single edits made for it. */
  readonly edits: number;
  /** Messages at its end that came since the request before. */
  readonly fresh: number;
}

/** A request whose beginning is not the request before: the provider's cache of what follows is lost. */
export interface PrefixBreak {
  /** Number of the request, from 0. */
  readonly turn: number;
  /** Tokens that it is shorter for the edit; below 0 where the edit made it longer. */
  readonly freed: number;
  /** Tokens that were sent before, or stand for such, and are written to the cache anew. */
  readonly rewritten: number;
}

/** Adds up what requests cost, and where they lose the provider's cache. */
export class CostMeter {
  /** Tokens of each request. */
  readonly timeline: number[] = [];
  readonly breaks: PrefixBreak[] = [];
  readonly sent = new PrefixMeter();

  add(request: MeasuredRequest): void {
    const { readings, fresh } = request;
    const { tokensSent, prefixHits } = this.sent.add(request);
    const before = this.timeline.at(-1) ?? 0;
    if (prefixHits < before) {
      const came = readings.slice(Math.max(0, readings.length - fresh)).reduce((sum, own) => sum + own.tokens, 0);
      const rewritten = Math.max(0, tokensSent - prefixHits - came);
      this.breaks.push({ turn: this.timeline.length, freed: before + came - tokensSent, rewritten });
    }
    this.timeline.push(tokensSent);
  }

  /** In fresh input tokens. */
  cost(prices: RelativePrices): number {
    return costOf(this.sent, prices);
  }
}

/** What the breaks of the prefix cost, and what they saved. */
export interface Payback {
  readonly breaks: number;
  readonly tokensRewritten: number;
  readonly tokensFreed: number;
  /** In fresh input tokens: what was rewritten, at the price of a write less that of a read. */
  readonly cost: number;
  /** In fresh input tokens: what was freed, at the price of a read, for each request until the next break. */
  readonly saving: number;
}

/** Adds up the breaks of a replay with that many requests. The break-even gate reckons with the same formula. */
export function paybackOf(breaks: readonly PrefixBreak[], requests: number, { read, write }: RelativePrices): Payback {
  let saving = 0;
  let tokensRewritten = 0;
  let tokensFreed = 0;
  for (const [index, { turn, freed, rewritten }] of breaks.entries()) {
    const until = breaks[index + 1]?.turn ?? requests;
    saving += freed * read * (until - turn);
    tokensRewritten += rewritten;
    tokensFreed += freed;
  }
  return { breaks: breaks.length, tokensRewritten, tokensFreed, cost: tokensRewritten * (write - read), saving };
}
