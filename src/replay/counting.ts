import { countingServices } from "../manager/counting.ts";
import type { SplitMessage } from "../messages/index.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { ModelCatalogue, ModelOverride, ModelPrices, TokenCounter } from "../tokens/index.ts";
import type { CountName } from "./count-names.ts";
import { charactersOfMessage } from "./message-text.ts";

/** The model of replayed sessions: its encoding is the one that is measured with, so the daemon's counts are exact. */
export const REPLAY_MODEL = "contextd-replay";

/** Larger than any run: the window of a replay is given with each session. */
const REPLAY_MODEL_WINDOW = 100_000_000;

/** @param prices what the break-even gate reckons with; null: cached tokens at 0.1 and 1.25 of a fresh one. */
export function replayModel(count: CountName, prices: ModelPrices | null): ModelOverride {
  return {
    provider: "openai",
    encoding: count,
    exact: true,
    context_window: REPLAY_MODEL_WINDOW,
    max_output_tokens: null,
    prices,
  };
}

/** Tokens of a rule-of-thumb message beside its characters. */
const MESSAGE_TOKENS = 4;
const CHARACTERS_PER_TOKEN = 4;

/** Tokens of one message, frame included. `chars`: ceil(characters / 4) + 4, ids left out. */
export type MessageTokens = (message: SplitMessage) => number;

export function messageTokens(
  count: CountName,
  format: MessageFormatName,
  { counter, catalogue }: { readonly counter: TokenCounter; readonly catalogue: ModelCatalogue },
): MessageTokens {
  if (count === "chars") {
    return ({ parts }) => Math.ceil(charactersOfMessage(parts) / CHARACTERS_PER_TOKEN) + MESSAGE_TOKENS;
  }
  const { countPart, messageOverhead } = countingServices(counter, catalogue.find(REPLAY_MODEL), format, new Map());
  return ({ role, envelope, parts }) =>
    parts.reduce((sum, part) => sum + countPart(part).tokens, messageOverhead(role, envelope));
}
