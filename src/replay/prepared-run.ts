import { messageFormats, type RenderedContext, type SplitMessage } from "../messages/index.ts";
import type { MessageFormatName } from "../model/message.ts";
import type { MessageTokens } from "./counting.ts";
import { findNeeds, type RunNeeds } from "./needs.ts";
import { Readings } from "./readings.ts";
import { conversationIn, type RecordedRun } from "./recorded-run.ts";

/** What came between two requests, or before the first one. */
export interface Arrival {
  /** Messages of the conversation. */
  readonly fresh: number;
  /** Needed values that stand on their lines. */
  readonly values: readonly number[];
}

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
  /** By request: one for each assistant message of the conversation. */
  readonly arrivals: readonly Arrival[];
  /** Where each message as it is measured comes from: the tool that it is the result of, or its role. */
  readonly sources: readonly string[];
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
  const conversation = conversationIn(recorded, format);
  const readings = new Readings(needs, format, tokensOf(format));
  return {
    recorded,
    format,
    conversation,
    needs,
    readings,
    tokensBefore,
    tokens: tokensBefore.at(-1) as number,
    pinnedTokens: tokens.reduce((sum, own, place) => sum + (needs.pinned[place] ? own : 0), 0),
    arrivals: arrivalsOf(conversation, readings),
    sources: sourcesOf(measured),
  };
}

function splitAll({ messages }: RenderedContext): SplitMessage[] {
  return messages.map((message, index) => messageFormats.openai.split(message, `messages[${index}]`));
}

function arrivalsOf({ messages }: RenderedContext, readings: Readings): Arrival[] {
  const arrivals: Arrival[] = [];
  let since = 0;
  for (const [place, message] of messages.entries()) {
    if (message["role"] !== "assistant") continue;
    const fresh = messages.slice(since, place);
    const values = new Set(fresh.flatMap((own) => readings.ofMessage(own).onLines));
    arrivals.push({ fresh: fresh.length, values: [...values] });
    since = place;
  }
  return arrivals;
}

function sourcesOf(messages: readonly SplitMessage[]): string[] {
  const tools = new Map<string, string>();
  return messages.map(({ role, parts }) => {
    for (const part of parts) if (part.kind === "tool_call") tools.set(part.callId, part.name);
    const result = parts.find((part) => part.kind === "tool_result");
    return (result && tools.get(result.callId)) ?? role;
  });
}
