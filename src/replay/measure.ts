import type { Role } from "../model/message.ts";
import type { Need } from "./needs.ts";
import type { PreparedRun } from "./prepared-run.ts";
import type { Reading } from "./readings.ts";
import { isOverfull } from "./windows.ts";

/** What reading and writing the provider's prompt cache cost, as multiples of a fresh input token. */
const READ_PRICE = 0.1;
const WRITE_PRICE = 1.25;
/** Reuse beyond this share of the window is far. */
const FAR = 0.5;
/** Fewer needs than this say nothing. */
export const LEAST_NEEDS = 5;

/** Roles whose text the agent did not write itself. */
const GROUND: ReadonlySet<Role> = new Set(["tool", "user"]);

/** What one policy did with one run at one window. Shares are of weight; null where nothing was to be had. */
export interface Figures {
  /** Needs counted. */
  readonly needs: number;
  readonly needWeight: number;
  /** Share of the needed values that stand on a whole line of the run: the primary figure. */
  readonly line: number | null;
  /** Share that stands anywhere. */
  readonly value: number | null;
  /** Line recall of values last seen more than half a window ago. */
  readonly far: number | null;
  /** Line recall of values first seen in a tool result or a user message. */
  readonly grounded: number | null;
  /** 0.1 x prefix hits + 1.25 x the rest, relative to the run without any management. */
  readonly cost: number;
  readonly requests: number;
  readonly tokensSent: number;
  /** Of these, in the longest common prefix with the request before, by message. */
  readonly prefixHits: number;
  /** Requests before which the context was edited. */
  readonly editedRequests: number;
  readonly edits: number;
  /** Most tokens of a request, over the window. */
  readonly peak: number;
}

/** Weight that was needed, and what of it was there. */
export class Recall {
  needed = 0;
  found = 0;

  add(weight: number, isThere: boolean): void {
    this.needed += weight;
    if (isThere) this.found += weight;
  }

  get share(): number | null {
    return this.needed === 0 ? null : this.found / this.needed;
  }
}

/** A request as the measure sees it. */
export interface MeasuredRequest {
  /** One a message; of the system prompt first, where it stands beside the messages. */
  readonly readings: readonly Reading[];
  /** One a message. */
  readonly ids: readonly string[];
  readonly edits: number;
}

/** What requests cost, in fresh input tokens. */
export function costOf({ tokensSent, prefixHits }: Pick<Figures, "tokensSent" | "prefixHits">): number {
  return READ_PRICE * prefixHits + WRITE_PRICE * (tokensSent - prefixHits);
}

/** The messages of a request; equal ones are one object. */
interface SentMessages {
  readonly readings: readonly Pick<Reading, "tokens">[];
  readonly ids: readonly string[];
}

/** Adds up what requests cost. A message is a prefix hit when it was sent before in this place, unchanged. */
export class CostMeter {
  tokensSent = 0;
  prefixHits = 0;
  #previous: SentMessages = { readings: [], ids: [] };

  /** Answers the tokens of the request. */
  add(request: SentMessages): number {
    const { readings, ids } = request;
    const previous = this.#previous;
    const beside = readings.length - ids.length;
    let tokens = 0;
    let isPrefix = true;
    for (const [index, reading] of readings.entries()) {
      tokens += reading.tokens;
      isPrefix &&= previous.readings[index] === reading && previous.ids[index - beside] === ids[index - beside];
      if (isPrefix) this.prefixHits += reading.tokens;
    }
    this.tokensSent += tokens;
    this.#previous = request;
    return tokens;
  }

  get cost(): number {
    return costOf(this);
  }
}

/** Measures the requests of one replay, in their order. */
export class Measure {
  readonly #run: PreparedRun;
  readonly #window: number;
  readonly #unboundedCost: number;
  readonly #meter = new CostMeter();
  readonly #line = new Recall();
  readonly #value = new Recall();
  readonly #far = new Recall();
  readonly #grounded = new Recall();
  #needs = 0;
  #requests = 0;
  #edits = 0;
  #editedRequests = 0;
  #mostTokens = 0;

  constructor(run: PreparedRun, window: number, unboundedCost: number) {
    this.#run = run;
    this.#window = window;
    this.#unboundedCost = unboundedCost;
  }

  add(request: MeasuredRequest): void {
    const { readings, edits } = request;
    const { turns, byTurn } = this.#run.needs;
    const turn = turns[this.#requests] as number;
    const previous = turns[this.#requests - 1] ?? 0;
    this.#requests++;
    this.#edits += edits;
    if (edits > 0) this.#editedRequests++;
    this.#mostTokens = Math.max(this.#mostTokens, this.#meter.add(request));
    const needs = byTurn.get(turn);
    if (needs === undefined || isOverfull(this.#fixedTokens(previous, turn), this.#window)) return;
    const onLines = new Set(readings.flatMap((reading) => reading.onLines));
    const inText = new Set(readings.flatMap((reading) => reading.inText));
    for (const need of needs) this.#count(need, turn, onLines.has(need.index), inText.has(need.index));
  }

  #count(need: Need, turn: number, onLine: boolean, inText: boolean): void {
    const { tokensBefore } = this.#run;
    const distance = (tokensBefore[turn] as number) - (tokensBefore[need.lastHeldBy + 1] as number);
    this.#needs++;
    this.#line.add(need.weight, onLine);
    this.#value.add(need.weight, onLine || inText);
    if (distance > FAR * this.#window) this.#far.add(need.weight, onLine);
    if (GROUND.has(need.origin)) this.#grounded.add(need.weight, onLine);
  }

  /** Tokens of the pinned messages and of the step under way: no policy can free them. */
  #fixedTokens(from: number, to: number): number {
    const { tokensBefore, pinnedTokens, needs } = this.#run;
    let fixed = pinnedTokens;
    for (let place = from; place < to; place++) {
      if (!needs.pinned[place]) fixed += (tokensBefore[place + 1] as number) - (tokensBefore[place] as number);
    }
    return fixed;
  }

  figures(): Figures {
    return {
      needs: this.#needs,
      needWeight: this.#line.needed,
      line: this.#line.share,
      value: this.#value.share,
      far: this.#far.share,
      grounded: this.#grounded.share,
      cost: this.#meter.cost / this.#unboundedCost,
      requests: this.#requests,
      tokensSent: this.#meter.tokensSent,
      prefixHits: this.#meter.prefixHits,
      editedRequests: this.#editedRequests,
      edits: this.#edits,
      peak: this.#mostTokens / this.#window,
    };
  }
}

/** What the run costs when the whole conversation is sent each time. */
export function unboundedCost({ conversation, readings }: PreparedRun): number {
  const meter = new CostMeter();
  const { messages, ...beside } = conversation;
  for (const [place, message] of messages.entries()) {
    if (message["role"] !== "assistant") continue;
    const sent = messages.slice(0, place);
    meter.add({ readings: readings.of({ ...beside, messages: sent }), ids: [...sent.keys()].map(String) });
  }
  return meter.cost;
}
