import { messageFormats, type RenderedContext, type SplitMessage } from "../messages/index.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { MessageTokens } from "./counting.ts";
import { findNeeds, type RunNeeds } from "./needs.ts";
import { Readings } from "./readings.ts";
import { conversationIn, type RecordedRun } from "./recorded-run.ts";

/** A run ready to be replayed: what it needs and what its messages weigh, found once for all policies and windows. */
export interface PreparedRun {
  readonly recorded: RecordedRun;
  /** The format it is replayed in. */
  readonly format: MessageFormatName;
  /** The whole conversation in that format: what the agent would hold without any management. */
  readonly conversation: RenderedContext;
  readonly needs: RunNeeds;
  readonly readings: Readings;
  /** Tokens before each message of the run as it is measured, and in all: one more entry than messages. */
  readonly tokensBefore: readonly number[];
  readonly tokens: number;
  readonly pinnedTokens: number;
}

export interface PrepareOptions {
  readonly format: MessageFormatName;
  readonly background: ReadonlySet<string>;
  readonly tokensOf: (format: MessageFormatName) => MessageTokens;
}

/** Needs are found in the OpenAI form of a run, whichever form is replayed: a result is a message there. */
export function prepareRun(recorded: RecordedRun, { format, background, tokensOf }: PrepareOptions): PreparedRun {
  const measured = splitAll(conversationIn(recorded, "openai"));
  const needs = findNeeds(measured, background);
  const tokens = measured.map(tokensOf("openai"));
  const tokensBefore = [0];
  for (const own of tokens) tokensBefore.push((tokensBefore.at(-1) as number) + own);
  return {
    recorded,
    format,
    conversation: conversationIn(recorded, format),
    needs,
    readings: new Readings(needs, format, tokensOf(format)),
    tokensBefore,
    tokens: tokensBefore.at(-1) as number,
    pinnedTokens: tokens.reduce((sum, own, place) => sum + (needs.pinned[place] ? own : 0), 0),
  };
}

function splitAll({ messages }: RenderedContext): SplitMessage[] {
  return messages.map((message, index) => messageFormats.openai.split(message, `messages[${index}]`));
}
