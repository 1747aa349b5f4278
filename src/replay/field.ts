import { ContextdError } from "../model/errors.ts";
import type { BestOf, Contender } from "./contender.ts";
import { type Figures, Measure, type MeasureTerms } from "./measure.ts";
import type { PreparedRun } from "./prepared-run.ts";

/** What a contender did with one run at one window. */
export interface Measured {
  /** The one that was best of several; null where the contender is one. */
  readonly variant: string | null;
  readonly figures: Figures;
}

/** One run at one window: each contender is measured once, however many ask. */
export class Field {
  readonly #run: PreparedRun;
  readonly #terms: MeasureTerms;
  readonly #measured = new Map<Contender, Figures>();

  constructor(run: PreparedRun, terms: MeasureTerms) {
    this.#run = run;
    this.#terms = terms;
  }

  async measure(contender: Contender | BestOf): Promise<Measured> {
    if (!("bestOf" in contender)) return { variant: null, figures: await this.#figuresOf(contender) };
    const all: { readonly variant: string; readonly figures: Figures }[] = [];
    for (const one of contender.bestOf) all.push({ variant: one.name, figures: await this.#figuresOf(one) });
    return all.reduce((best, one) => (isBetter(one.figures, best.figures) ? one : best));
  }

  async #figuresOf(contender: Contender): Promise<Figures> {
    const figures = this.#measured.get(contender) ?? (await measureReplay(this.#run, contender, this.#terms));
    this.#measured.set(contender, figures);
    return figures;
  }
}

/** By line recall, and of equals by cost. */
function isBetter(a: Figures, b: Figures): boolean {
  return (a.line ?? 0) > (b.line ?? 0) || (a.line === b.line && a.cost < b.cost);
}

/** Throws invalid_history when the contender makes fewer requests than the run has. */
export async function measureReplay(run: PreparedRun, contender: Contender, terms: MeasureTerms): Promise<Figures> {
  const measure = new Measure(run, terms);
  let requests = 0;
  for await (const { context, ids, edits } of contender.play(run, terms.window)) {
    if (requests++ === run.needs.turns.length) break;
    measure.add({ readings: run.readings.of(context), ids, edits });
  }
  if (requests === run.needs.turns.length) return measure.figures();
  throw new ContextdError(
    "invalid_history",
    `${run.recorded.id} has ${run.needs.turns.length} assistant messages, and another number in the format ${run.format}: replay it as it was recorded.`,
  );
}
