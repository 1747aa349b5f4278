import type { MessageFormatName } from "../model/message.ts";
import {
  countedTexts,
  type ModelEntry,
  messageOverhead,
  partTokens,
  QUICK_LIMIT,
  type TokenCount,
  type TokenCounter,
} from "../tokens/index.ts";
import type { Services } from "./hook.ts";
import type { Arrival } from "./ingest.ts";

/** Counts of texts that may take too long to be counted within a hook: made before it. */
export type LargeCounts = Map<string, TokenCount>;

export async function countLargeTexts(
  arrivals: readonly Arrival[],
  counter: TokenCounter,
  model: ModelEntry,
  counts: LargeCounts,
): Promise<void> {
  for (const { split } of arrivals) {
    for (const part of split.parts) {
      for (const text of countedTexts(part)) {
        if (text.length > QUICK_LIMIT) counts.set(text, await counter.countLarge(text, model.encoding));
      }
    }
  }
}

/** The counting half of a hook's services. */
export function countingServices(
  counter: TokenCounter,
  model: ModelEntry,
  format: MessageFormatName,
  large: ReadonlyMap<string, TokenCount>,
): Pick<Services, "countPart" | "countText" | "messageOverhead"> {
  const countOf = (text: string) =>
    (text.length > QUICK_LIMIT && large.get(text)) || counter.count(text, model.encoding);
  return {
    countPart(part) {
      let approximate = false;
      const count = (text: string) => {
        const counted = countOf(text);
        approximate ||= counted.approximate;
        return counted.tokens;
      };
      return { tokens: partTokens(part, count, model.provider), approximate };
    },
    countText: (text) => countOf(text).tokens,
    messageOverhead(role, envelope) {
      const { name } = envelope;
      if (typeof name !== "string") return messageOverhead(format, role);
      return messageOverhead(format, role, true) + counter.count(name, model.encoding).tokens;
    },
  };
}
