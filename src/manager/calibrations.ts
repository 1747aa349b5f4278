import type { EventData } from "../model/events.ts";
import { updateFactor } from "../tokens/index.ts";

/** Learned factor of reported over estimated tokens, by model. */
export class Calibrations {
  readonly #factors = new Map<string, number>();

  factor(model: string): number {
    return this.#factors.get(model) ?? 1;
  }

  /** Takes up what was learned before a restart. */
  resume(model: string, factor: number): void {
    this.#factors.set(model, factor);
  }

  /** Learns from a call whose usage was reported; nothing to learn where it was not. */
  learn(model: string, ended: EventData["turn.ended"]): void {
    if (ended.prompt_tokens === null || ended.estimated_tokens <= 0) return;
    this.#factors.set(model, updateFactor(this.factor(model), ended.estimated_tokens, ended.prompt_tokens));
  }
}
