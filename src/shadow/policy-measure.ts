import type { ManagedMessage } from "../manager/session.ts";
import type { DistinctLines } from "../replay/distinct-lines.ts";
import { Recall } from "../replay/measure.ts";
import { costOf, PrefixMeter } from "../replay/prefix-meter.ts";
import type { RelativePrices } from "../tokens/index.ts";
import type { RunningNeed } from "./running-needs.ts";
import { SentContext } from "./sent-context.ts";

/** What a policy kept and what its prompts cost. Weights as docs/replay.md has them; costs in fresh input tokens. */
export interface PolicyFigures {
  /** Model calls that were measured. */
  readonly turns: number;
  readonly needs: number;
  readonly needWeight: number;
  /** Of the needed weight: what stood on a whole line of the run. */
  readonly lineWeight: number;
  /** Of the needed weight: what stood anywhere. */
  readonly valueWeight: number;
  readonly tokensSent: number;
  /** Of these, in the longest common prefix with the request before, by message. */
  readonly prefixHits: number;
  readonly costTokens: number;
  /** What the same requests would have cost with nothing ever taken out. */
  readonly unmanagedCostTokens: number;
  readonly edits: number;
  /** Requests before which the context was edited. */
  readonly editedTurns: number;
}

const NO_FIGURES: PolicyFigures = {
  turns: 0,
  needs: 0,
  needWeight: 0,
  lineWeight: 0,
  valueWeight: 0,
  tokensSent: 0,
  prefixHits: 0,
  costTokens: 0,
  unmanagedCostTokens: 0,
  edits: 0,
  editedTurns: 0,
};

export function sumOf(all: Iterable<PolicyFigures>): PolicyFigures {
  const sum: Record<keyof PolicyFigures, number> = { ...NO_FIGURES };
  for (const figures of all) {
    for (const key of Object.keys(sum) as (keyof PolicyFigures)[]) sum[key] += figures[key];
  }
  return sum;
}

/** A model's answer, as every policy is measured by it. */
export interface Answer {
  /** What it needs; empty where no policy could be judged by it. */
  readonly needs: readonly RunningNeed[];
  /** Tokens of all messages before it, whole. */
  readonly unmanagedTokens: number;
  /** What the cache costs with the session's model. */
  readonly prices: RelativePrices;
}

/** Measures one policy on one session: what it hands out, against what the answers need. */
export class PolicyMeasure {
  readonly #context: SentContext;
  readonly #meter = new PrefixMeter();
  readonly #line = new Recall();
  readonly #value = new Recall();
  #isHandedOut = false;
  #newEdits = 0;
  #turns = 0;
  #needs = 0;
  #edits = 0;
  #editedTurns = 0;
  #unmanagedTokens = 0;
  #cost = 0;
  #unmanagedCost = 0;

  constructor(lines: DistinctLines) {
    this.#context = new SentContext(lines);
  }

  /** The policy has handed out a context, after so many edits. One that is not answered is replaced by the next. */
  handOut(messages: readonly ManagedMessage[], edits: number): void {
    this.#context.handOut(messages);
    this.#newEdits += edits;
    this.#isHandedOut = true;
  }

  /** The model has answered what was handed out last. An answer to nothing is none of the policy's. */
  answered({ needs, unmanagedTokens, prices }: Answer): void {
    if (!this.#isHandedOut) return;
    this.#isHandedOut = false;
    this.#turns++;
    this.#edits += this.#newEdits;
    if (this.#newEdits > 0) this.#editedTurns++;
    this.#newEdits = 0;
    this.#cost += costOf(this.#meter.add({ readings: this.#context.messages, ids: [] }), prices);
    this.#unmanagedCost += costOf({ tokensSent: unmanagedTokens, prefixHits: this.#unmanagedTokens }, prices);
    this.#unmanagedTokens = unmanagedTokens;
    for (const { value, weight, lines } of needs) {
      const onLine = lines.some((line) => this.#context.showsLine(line));
      this.#needs++;
      this.#line.add(weight, onLine);
      this.#value.add(weight, onLine || this.#context.showsElsewhere(value));
    }
  }

  figures(): PolicyFigures {
    return {
      turns: this.#turns,
      needs: this.#needs,
      needWeight: this.#line.needed,
      lineWeight: this.#line.found,
      valueWeight: this.#value.found,
      tokensSent: this.#meter.tokensSent,
      prefixHits: this.#meter.prefixHits,
      costTokens: this.#cost,
      unmanagedCostTokens: this.#unmanagedCost,
      edits: this.#edits,
      editedTurns: this.#editedTurns,
    };
  }
}
