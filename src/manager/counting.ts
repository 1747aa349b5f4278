import type { MessageFormatName } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { textOf } from "../model/part.ts";
import {
  type ModelEntry,
  messageOverhead,
  partTokens,
  SYNC_LIMIT,
  type TokenCount,
  type TokenCounter,
} from "../tokens/index.ts";
import type { Services } from "./hook.ts";
import type { Arrival } from "./ingest.ts";

/** Counts the parts that are too big to be counted within a hook, before it. */
export async function countLargeParts(
  arrivals: readonly Arrival[],
  counter: TokenCounter,
  model: ModelEntry,
): Promise<Map<Part, TokenCount>> {
  const counted = new Map<Part, TokenCount>();
  for (const { split } of arrivals) {
    for (const part of split.parts) {
      if (part.kind === "image" || textOf(part).length <= SYNC_LIMIT) continue;
      counted.set(part, await counter.countLarge(textOf(part), model.encoding));
    }
  }
  return counted;
}

/** The counting half of a hook's services. */
export function countingServices(
  counter: TokenCounter,
  model: ModelEntry,
  format: MessageFormatName,
  large: ReadonlyMap<Part, TokenCount>,
): Pick<Services, "countPart" | "countText" | "messageOverhead"> {
  return {
    countPart(part) {
      const known = large.get(part);
      if (known) return known;
      let approximate = false;
      const tokens = partTokens(
        part,
        (text) => {
          const counted = counter.count(text, model.encoding);
          approximate ||= counted.approximate;
          return counted.tokens;
        },
        model.provider,
      );
      return { tokens, approximate };
    },
    countText: (text) => counter.count(text, model.encoding).tokens,
    messageOverhead(role, envelope) {
      const { name } = envelope;
      if (typeof name !== "string") return messageOverhead(format, role);
      return messageOverhead(format, role, true) + counter.count(name, model.encoding).tokens;
    },
  };
}
