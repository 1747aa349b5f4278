import { z } from "zod";
import { configureScorer, type Scorer } from "../eviction/index.ts";
import type { Registry } from "../model/strategy.ts";

/** A policy that can be searched. */
export interface SearchedPolicy {
  readonly name: string;
  /** Whether a pass goes down to the target, and carries lines over unless told otherwise. */
  readonly freesInBatches: boolean;
}

/** The policies that evict and need no options of their own: those that can be tried by their name alone. */
export function evictingPolicies(registry: Registry<Scorer>): SearchedPolicy[] {
  return Object.keys(registry).flatMap((name) => {
    const scorer = configured(name, registry);
    return scorer === null || scorer.actions.length === 0 ? [] : [{ name, freesInBatches: scorer.depth === "target" }];
  });
}

function configured(policy: string, registry: Registry<Scorer>): Scorer | null {
  try {
    return configureScorer({ policy }, registry);
  } catch (error) {
    if (error instanceof z.ZodError) return null;
    throw error;
  }
}
