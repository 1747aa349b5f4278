import type { Clock } from "../model/clock.ts";
import type { EventData, Observer, PublishedEvent } from "../model/events.ts";
import { CountErrors, type ModelError } from "./count-errors.ts";
import { Minutes } from "./minutes.ts";
import { NeededAgain } from "./needed-again.ts";
import { Savings } from "./savings.ts";

/** What is counted, since the daemon's start or in one minute. Tokens of cost are fresh input tokens: see savings.ts. */
interface Counts {
  tokensFreed: number;
  overflows: number;
  /** Times that content of a block was taken out or shortened by a pass, and blocks that were needed again. */
  evicted: number;
  neededAgain: number;
  saved: number;
  /** Of the calls whose usage tells of the cache. */
  known: { spent: number; saved: number };
  /** Sum of the signed shares by which estimates were off, and how many there are. */
  countError: { sum: number; n: number };
}

/** Figures of one tenant for people. Shares are null without data. */
export interface TenantTotals {
  readonly tokensFreed: number;
  readonly overflows: number;
  readonly evicted: number;
  readonly neededAgain: number;
  readonly costSaved: { readonly tokens: number; readonly share: number | null };
  /** Mean of (estimated - reported) / reported over the prompts that a provider counted; the estimate uncalibrated. */
  readonly estimatorError: number | null;
}

/** One minute, oldest first; null where nothing was counted, or where a share has no data. */
export interface MinuteTotals {
  readonly tokensFreed: number;
  readonly overflows: number;
  readonly neededAgain: number | null;
  /** What the calls cost over what they would have cost without edits. */
  readonly costRatio: number | null;
  readonly countError: number | null;
}

/** Counts since the daemon's start that its status tells people: each tenant its own. The last hour by minutes as well. */
export class Totals implements Observer {
  readonly name = "totals";
  readonly #tenants = new Map<string, Counts>();
  readonly #minutes: Minutes<Counts>;
  readonly #savings = new Savings();
  readonly #neededAgain = new NeededAgain();
  readonly #countErrors = new CountErrors();

  constructor(clock: Clock) {
    this.#minutes = new Minutes(clock, nothing);
  }

  observe(events: readonly PublishedEvent[]): void {
    for (const event of events) this.#observe(event);
  }

  read(tenant: string): TenantTotals {
    const { tokensFreed, overflows, evicted, neededAgain, saved, known, countError } =
      this.#tenants.get(tenant) ?? nothing();
    const share = shareOf(known.saved, known.spent + known.saved);
    const estimatorError = shareOf(countError.sum, countError.n);
    return { tokensFreed, overflows, evicted, neededAgain, costSaved: { tokens: saved, share }, estimatorError };
  }

  history(tenant: string): readonly MinuteTotals[] {
    return this.#minutes.read(tenant).map((step) => {
      const { tokensFreed, overflows, evicted, neededAgain, known, countError } = step ?? nothing();
      return {
        tokensFreed,
        overflows,
        neededAgain: shareOf(neededAgain, evicted),
        costRatio: shareOf(known.spent, known.spent + known.saved),
        countError: shareOf(countError.sum, countError.n),
      };
    });
  }

  /** How far estimates were off, by model, the busiest first. */
  modelErrors(tenant: string): readonly ModelError[] {
    return this.#countErrors.read(tenant);
  }

  #observe(event: PublishedEvent): void {
    switch (event.type) {
      case "overflow.reported":
        this.#count(event, (counts) => counts.overflows++);
        this.#estimate(event, event.data.estimated_tokens, event.data.reported_tokens);
        break;
      case "history.compacted":
        this.#pass(event, event.data);
        break;
      case "pressure.measured":
        this.#savings.measured(event, event.data);
        break;
      case "turn.ended":
        this.#answered(event, event.data);
        break;
      case "window.closed":
      case "session.closed":
        this.#savings.forget(event);
        if (event.type === "session.closed") this.#neededAgain.forget(event);
        break;
      default:
        this.#content(event);
    }
  }

  #content(event: PublishedEvent): void {
    switch (event.type) {
      case "block.evicted":
      case "block.merged":
        this.#count(event, (counts) => counts.evicted++);
        break;
      case "block.truncated":
      case "block.summarized":
        // What is shortened as it comes in has not been in the context.
        if (event.data.pass_id !== null) this.#count(event, (counts) => counts.evicted++);
        break;
      case "regret.detected":
        if (this.#neededAgain.first(event, event.data)) this.#count(event, (counts) => counts.neededAgain++);
        break;
      default:
    }
  }

  #pass(event: PublishedEvent, data: EventData["history.compacted"]): void {
    const freed = Math.max(0, data.tokens_before - data.tokens_after);
    this.#count(event, (counts) => {
      counts.tokensFreed += freed;
    });
    this.#savings.pass(event, data);
  }

  #answered(event: PublishedEvent, data: EventData["turn.ended"]): void {
    this.#estimate(event, data.estimated_tokens, data.prompt_tokens);
    const saving = this.#savings.answered(event, data);
    if (saving === null) return;
    this.#count(event, (counts) => {
      counts.saved += saving.saved;
      counts.known.spent += saving.known?.spent ?? 0;
      counts.known.saved += saving.known?.saved ?? 0;
    });
  }

  #estimate(event: PublishedEvent, estimated: number | null, reported: number | null): void {
    if (estimated === null || reported === null || reported <= 0) return;
    const error = (estimated - reported) / reported;
    this.#count(event, ({ countError }) => {
      countError.sum += error;
      countError.n++;
    });
    if (event.labels !== null) this.#countErrors.add(event.tenant, event.labels.model, error);
  }

  #count({ tenant }: PublishedEvent, add: (counts: Counts) => void): void {
    let counts = this.#tenants.get(tenant);
    if (!counts) {
      counts = nothing();
      this.#tenants.set(tenant, counts);
    }
    add(counts);
    add(this.#minutes.current(tenant));
  }
}

function nothing(): Counts {
  return {
    tokensFreed: 0,
    overflows: 0,
    evicted: 0,
    neededAgain: 0,
    saved: 0,
    known: { spent: 0, saved: 0 },
    countError: { sum: 0, n: 0 },
  };
}

function shareOf(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
