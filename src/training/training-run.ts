import { contentHash } from "../model/content-hash.ts";
import { grouped } from "../replay/grouping.ts";
import { unboundedCost } from "../replay/measure.ts";
import { type PreparedRun, type PrepareOptions, prepareRun } from "../replay/prepared-run.ts";
import { parseRun } from "../replay/recorded-run.ts";
import { relativePrices } from "../tokens/index.ts";

/** A recorded run to learn from and to be measured on. */
export interface TrainingRun {
  readonly prepared: PreparedRun;
  readonly family: string;
  /** Runs of one task, within a family, are never learned from and measured on at once. */
  readonly task: string;
  /** SHA-256 of the record. */
  readonly digest: string;
  /** Cost of the run without any management. */
  readonly unboundedCost: number;
  /** Sum of the weights of all its needs. */
  readonly needWeight: number;
}

/** What the prompt cache costs where held-out runs are measured. */
export const TRAINING_PRICES = relativePrices(null);

/** A record, by the name that errors call it. */
export interface RunText {
  readonly name: string;
  readonly text: string;
}

/** Reads the records, in the order of their digests, each content once. Throws invalid_params with the line at fault. */
export function readRuns(texts: readonly RunText[], options: PrepareOptions): TrainingRun[] {
  const distinct = new Map(texts.map((each) => [contentHash(each.text), each]));
  const runs = [...distinct]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([digest, { text, name }]) => ({ digest, recorded: parseRun(text, name) }));
  const families = grouped(runs, ({ recorded }) => recorded.family);
  return runs.map(({ digest, recorded }) => {
    const { family, task, promptKey } = recorded;
    // A family whose records all name one task, or none, names a collection: the prompt tells its tasks apart.
    const named = new Set(families.get(family)?.map(({ recorded: { task } }) => task));
    const prepared = prepareRun(recorded, options);
    return {
      prepared,
      family,
      task: `${family}:${task === null || named.size === 1 ? promptKey : task}`,
      digest,
      unboundedCost: unboundedCost(prepared, TRAINING_PRICES),
      needWeight: needWeightOf(prepared),
    };
  });
}

function needWeightOf({ needs }: PreparedRun): number {
  let sum = 0;
  for (const own of needs.byTurn.values()) for (const { weight } of own) sum += weight;
  return sum;
}
