/** Models of a tenant whose errors are told apart; agents choose the names, so they must end. */
const MODELS = 50;

/** How far the uncalibrated estimates of a model's prompts were off, as shares of what the provider counted. */
export interface ModelError {
  readonly model: string;
  /** Mean of the signed shares: above 0 the estimate was too high. */
  readonly mean: number;
  /** Share of the last prompt. */
  readonly last: number;
  /** Prompts that a provider counted. */
  readonly n: number;
}

/** Errors of estimates since the daemon's start, by tenant and model. */
export class CountErrors {
  readonly #tenants = new Map<string, Map<string, { sum: number; last: number; n: number }>>();

  add(tenant: string, model: string, error: number): void {
    const models = this.#tenants.get(tenant) ?? new Map<string, { sum: number; last: number; n: number }>();
    this.#tenants.set(tenant, models);
    const known = models.get(model);
    if (!known && models.size >= MODELS) return;
    models.set(model, { sum: (known?.sum ?? 0) + error, last: error, n: (known?.n ?? 0) + 1 });
  }

  /** The models with the most prompts first. */
  read(tenant: string): readonly ModelError[] {
    const models = [...(this.#tenants.get(tenant) ?? [])];
    return models
      .map(([model, { sum, last, n }]) => ({ model, mean: sum / n, last, n }))
      .sort((a, b) => b.n - a.n || (a.model < b.model ? -1 : 1));
  }
}
