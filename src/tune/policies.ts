import { z } from "zod";
import { configureScorer, type Scorer } from "../eviction/index.ts";
import type { Registry } from "../model/strategy.ts";

/** The policies that evict and need no options of their own: those that can be tried by their name alone. */
export function evictingPolicies(registry: Registry<Scorer>): string[] {
  return Object.keys(registry).filter((policy) => {
    try {
      return configureScorer({ policy }, registry).actions.length > 0;
    } catch (error) {
      if (error instanceof z.ZodError) return false;
      throw error;
    }
  });
}
