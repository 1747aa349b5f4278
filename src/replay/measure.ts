import type { Role } from "../model/message.ts";
import type { RelativePrices } from "../tokens/index.ts";
import { CostMeter, type MeasuredRequest, type Payback, type PrefixBreak, paybackOf } from "./cost-meter.ts";
import type { Need } from "./needs.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { type Regret, RegretMeter } from "./regret.ts";
import { contextNumber } from "./sameness.ts";
import { isOverfull } from "./windows.ts";

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
  /** Prefix hits and the rest of the tokens sent, each at its price, relative to the run without any management. */
  readonly cost: number;
  readonly requests: number;
  readonly tokensSent: number;
  /** Of these, in the longest common prefix with the request before, by message. */
  readonly prefixHits: number;
  /** Requests before which the context was edited. */
  readonly editedRequests: number;
  readonly edits: number;
  /** Numbers of the requests before which the context was edited, from 0. */
  readonly editedAt: readonly number[];
  /** Requests that lacked needed lines, in order. */
  readonly lost: readonly LostNeeds[];
  /** Most tokens of a request, over the window. */
  readonly peak: number;
  /** Mean tokens of a request, over the window. */
  readonly filled: number;
  /** One number for the context of each request: equal ones have the same. */
  readonly contexts: readonly number[];
  /** Tokens of each request. */
  readonly timeline: readonly number[];
  /** Requests that lost the provider's cache, in order. */
  readonly breaks: readonly PrefixBreak[];
  readonly payback: Payback;
  readonly regret: Regret;
}

/** Needs that no whole line of a request's context met. */
export interface LostNeeds {
  /** Number of the request, from 0. */
  readonly turn: number;
  readonly needs: number;
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

/** What a replay is measured by besides its run. */
export interface MeasureTerms {
  /** Tokens that a context may hold. */
  readonly window: number;
  /** What the cache costs, as multiples of a fresh input token. */
  readonly prices: RelativePrices;
  /** What the run costs without any management, in fresh input tokens. */
  readonly unboundedCost: number;
}

/** Measures the requests of one replay, in their order. */
export class Measure {
  readonly #run: PreparedRun;
  readonly #terms: MeasureTerms;
  readonly #meter = new CostMeter();
  readonly #regret = new RegretMeter();
  readonly #line = new Recall();
  readonly #value = new Recall();
  readonly #far = new Recall();
  readonly #grounded = new Recall();
  #needs = 0;
  #requests = 0;
  #edits = 0;
  readonly #editedAt: number[] = [];
  readonly #contexts: number[] = [];
  readonly #lost: { turn: number; needs: number }[] = [];

  constructor(run: PreparedRun, terms: MeasureTerms) {
    this.#run = run;
    this.#terms = terms;
  }

  add(request: Omit<MeasuredRequest, "fresh">): void {
    const { readings, edits } = request;
    const { turns, byTurn } = this.#run.needs;
    const turn = turns[this.#requests] as number;
    const previous = turns[this.#requests - 1] ?? 0;
    const { fresh, values } = this.#run.arrivals[this.#requests] as PreparedRun["arrivals"][number];
    if (edits > 0) this.#editedAt.push(this.#requests);
    this.#requests++;
    this.#edits += edits;
    this.#meter.add({ ...request, fresh });
    this.#contexts.push(contextNumber(readings));
    const onLines = new Set(readings.flatMap((reading) => reading.onLines));
    this.#regret.request(values, onLines);
    const needs = byTurn.get(turn);
    if (needs === undefined || isOverfull(this.#fixedTokens(previous, turn), this.#terms.window)) return;
    const inText = new Set(readings.flatMap((reading) => reading.inText));
    for (const need of needs) this.#count(need, turn, onLines.has(need.index), inText.has(need.index));
  }

  #count(need: Need, turn: number, onLine: boolean, inText: boolean): void {
    const { tokensBefore } = this.#run;
    const distance = (tokensBefore[turn] as number) - (tokensBefore[need.lastHeldBy + 1] as number);
    this.#needs++;
    this.#line.add(need.weight, onLine);
    this.#value.add(need.weight, onLine || inText);
    if (distance > FAR * this.#terms.window) this.#far.add(need.weight, onLine);
    if (GROUND.has(need.origin)) this.#grounded.add(need.weight, onLine);
    if (onLine) return;
    this.#regret.missed(need, this.#run.sources[need.lastHeldBy] as string);
    const last = this.#lost.at(-1);
    if (last?.turn === this.#requests - 1) last.needs++;
    else this.#lost.push({ turn: this.#requests - 1, needs: 1 });
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
    const { window, prices, unboundedCost } = this.#terms;
    const meter = this.#meter;
    return {
      needs: this.#needs,
      needWeight: this.#line.needed,
      line: this.#line.share,
      value: this.#value.share,
      far: this.#far.share,
      grounded: this.#grounded.share,
      cost: meter.cost(prices) / unboundedCost,
      requests: this.#requests,
      tokensSent: meter.sent.tokensSent,
      prefixHits: meter.sent.prefixHits,
      editedRequests: this.#editedAt.length,
      edits: this.#edits,
      editedAt: this.#editedAt,
      lost: this.#lost,
      peak: Math.max(0, ...meter.timeline) / window,
      filled: this.#requests === 0 ? 0 : meter.sent.tokensSent / this.#requests / window,
      contexts: this.#contexts,
      timeline: meter.timeline,
      breaks: meter.breaks,
      payback: paybackOf(meter.breaks, this.#requests, prices),
      regret: this.#regret.regret,
    };
  }
}

/** What the run costs when the whole conversation is sent each time, in fresh input tokens. */
export function unboundedCost({ conversation, readings }: PreparedRun, prices: RelativePrices): number {
  const meter = new CostMeter();
  const { messages, ...beside } = conversation;
  for (const [place, message] of messages.entries()) {
    if (message["role"] !== "assistant") continue;
    const sent = messages.slice(0, place);
    meter.add({
      readings: readings.of({ ...beside, messages: sent }),
      ids: [...sent.keys()].map(String),
      edits: 0,
      fresh: sent.length,
    });
  }
  return meter.cost(prices);
}
