import { SimilarityIndex } from "../../eviction/index.ts";
import { messageFormats } from "../../messages/index.ts";
import type { Contender } from "../contender.ts";
import { dropBatch } from "./batch.ts";
import { type PlainContext, playPlain } from "./plain-context.ts";
import type { PlainUnit } from "./units.ts";
import { Uses } from "./uses.ts";

/** Weights of the signals, as published. */
const WEIGHTS = { recency: 0.3, priority: 0.25, ttl: 0.2, references: 0.15, novelty: 0.1 } as const;

/** Turns in which the worth of age halves. */
const HALF_LIFE = 10;
/** References beyond this many add nothing. */
const MOST_REFERENCES = 5;

/** By what a message is: its priority, and the turns after which it counts as expired. */
const TYPES = {
  result: { priority: 0.3, ttl: 8 },
  assistant: { priority: 0.5, ttl: 30 },
  user: { priority: 1, ttl: 50 },
} as const;

/**
 * The published hybrid scorer: recency .3, priority .25, time to live by type .2, frequency of reference .15, and
 * unlikeness to newer messages .1, each 0 to 1; a unit has the mean of its messages by tokens. Lowest first, in batches.
 */
export const publishedHybrid: Contender = {
  name: "published_hybrid",
  play(run, window) {
    const uses = new Uses();
    const likeness = new SimilarityIndex();
    const worthOf = (context: PlainContext, place: number) => {
      const { arrived, count } = uses.of(place);
      const age = context.turn - arrived;
      const { priority, ttl } = TYPES[typeAt(context, place)];
      return (
        WEIGHTS.recency * 2 ** (-age / HALF_LIFE) +
        WEIGHTS.priority * priority +
        WEIGHTS.ttl * Math.max(0, 1 - age / ttl) +
        WEIGHTS.references * Math.min(count / MOST_REFERENCES, 1) +
        WEIGHTS.novelty * (1 - (likeness.similarity(String(place))?.score ?? 0))
      );
    };
    const scored = (context: PlainContext) =>
      context.droppable
        .map((unit) => ({ unit, worth: meanByTokens(context, unit, (place) => worthOf(context, place)) }))
        .sort((a, b) => a.worth - b.worth)
        .map(({ unit }) => unit);
    return playPlain(run, {
      arrived: (context, place) => {
        likeness.add({ id: String(place), state: "whole" }, uses.arrived(context, place));
      },
      manage: (context) => dropBatch(context, window, () => scored(context)),
    });
  },
};

function typeAt({ run }: PlainContext, place: number): keyof typeof TYPES {
  const { role, parts } = messageFormats[run.format].split(run.conversation.messages[place], `messages[${place}]`);
  if (parts.some((part) => part.kind === "tool_result")) return "result";
  return role === "assistant" ? "assistant" : "user";
}

function meanByTokens(context: PlainContext, unit: PlainUnit, worthOf: (place: number) => number): number {
  const tokens = (place: number) => context.tokensOf({ places: [place] });
  const sum = unit.places.reduce((total, place) => total + tokens(place) * worthOf(place), 0);
  return sum / Math.max(1, context.tokensOf(unit));
}
