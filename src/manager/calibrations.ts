import type { CoreEvent } from "../model/events.ts";
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

  /** The factor once the events of a call are learned from; the same where no usage was reported. */
  after(tenant: string, model: string, events: readonly CoreEvent[]): number {
    let factor = this.factor(tenant, model);
    for (const { type, data } of events) {
      if (type !== "turn.ended" || data.prompt_tokens === null || data.estimated_tokens <= 0) continue;
      factor = updateFactor(factor, data.estimated_tokens, data.prompt_tokens);
    }
    return factor;
  }

  /** Learns from the events of a call, once they are stored: a call that is refused and made again counts once. */
  learn(tenant: string, model: string, events: readonly CoreEvent[]): void {
    const factor = this.after(tenant, model, events);
    if (factor !== this.factor(tenant, model)) this.#keep(tenant, model, factor);
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
