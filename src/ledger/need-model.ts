import { z } from "zod";
import { ContextdError } from "../model/errors.ts";
import { FEATURES } from "./features/index.ts";

/** Bounds of the exponent: a line is never worth more than e^5 needs. */
const LEAST = -30;
const MOST = 5;

const needModelFile = z.object({
  kind: z.literal("log-linear"),
  version: z.literal(1),
  bias: z.number(),
  /** By the name of the feature; one that is not named weighs nothing. */
  weights: z.record(z.string(), z.number()),
  /** What it was learned from, for people: nothing depends on it. */
  provenance: z.record(z.string(), z.unknown()).optional(),
});

/** A model as it is written to a file. */
export type NeedModelFile = z.infer<typeof needModelFile>;

/** Estimates from what was seen so far what a line will be worth. */
export interface NeedModel {
  /** Expected weight of the needs that a line with these features meets until the next eviction. Above 0. */
  score(features: Float64Array): number;
}

/**
 * A log-linear model, exp(bias + weights x features), as `npm run train-need-model` writes it.
 * Throws config_invalid when the file is none, or weighs features that are not known.
 */
export function readNeedModel(file: unknown): NeedModel {
  const parsed = needModelFile.safeParse(file);
  if (!parsed.success) {
    throw new ContextdError("invalid_params", "This is no need model: train one with `npm run train-need-model`.", {
      path: parsed.error.issues[0]?.path.join(".") ?? "",
    });
  }
  const { bias, weights } = parsed.data;
  const unknown = Object.keys(weights).filter((name) => !FEATURES.includes(name));
  if (unknown.length > 0) {
    throw new ContextdError(
      "invalid_params",
      `The need model weighs features that this version does not have (${unknown.slice(0, 5).join(", ")}): train it anew.`,
      { path: "weights" },
    );
  }
  return new LogLinear(
    bias,
    Float64Array.from(FEATURES, (name) => weights[name] ?? 0),
  );
}

class LogLinear implements NeedModel {
  readonly #bias: number;
  readonly #weights: Float64Array;

  constructor(bias: number, weights: Float64Array) {
    this.#bias = bias;
    this.#weights = weights;
  }

  score(features: Float64Array): number {
    let sum = this.#bias;
    for (let at = 0; at < this.#weights.length; at++) sum += (this.#weights[at] as number) * (features[at] as number);
    return Math.exp(Math.min(MOST, Math.max(LEAST, sum)));
  }
}
