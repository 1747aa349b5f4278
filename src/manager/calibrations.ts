import type { EventData } from "../model/events.ts";
import { updateFactor } from "../tokens/index.ts";

/** Models remembered of one tenant; a further one takes the place of the one learned from longest ago. */
const MODELS = 1000;
const UNLEARNED = 1;

/**
 * Learned factor of reported over estimated tokens, by tenant and model. What one tenant reports must not move what
 * another's contexts count.
 */
export class Calibrations {
  readonly #tenants = new Map<string, Map<string, number>>();

  factor(tenant: string, model: string): number {
    return this.#tenants.get(tenant)?.get(model) ?? UNLEARNED;
  }

  /** Takes up what was learned before a restart. */
  resume(tenant: string, model: string, factor: number): void {
    if (factor !== UNLEARNED) this.#keep(tenant, model, factor);
  }

  /** Learns from a call whose usage was reported; nothing to learn where it was not. */
  learn(tenant: string, model: string, ended: EventData["turn.ended"]): void {
    if (ended.prompt_tokens === null || ended.estimated_tokens <= 0) return;
    this.#keep(tenant, model, updateFactor(this.factor(tenant, model), ended.estimated_tokens, ended.prompt_tokens));
  }

  #keep(tenant: string, model: string, factor: number): void {
    const models = this.#tenants.get(tenant) ?? new Map<string, number>();
    this.#tenants.set(tenant, models);
    models.delete(model);
    models.set(model, factor);
    if (models.size <= MODELS) return;
    for (const oldest of models.keys()) {
      models.delete(oldest);
      break;
    }
  }
}
