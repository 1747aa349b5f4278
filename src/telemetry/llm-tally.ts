import type { LlmCall, LlmRole } from "../model/llm-call.ts";

/** Calls to one model in one role, since the daemon's start. */
export interface LlmFigures {
  readonly role: LlmRole;
  readonly provider: string;
  readonly model: string;
  readonly calls: number;
  /** By the reason of the failure; without those that went well. */
  readonly failures: Readonly<Record<string, number>>;
  /** Mean time of a call, seconds. */
  readonly meanSeconds: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** USD of the calls whose cost is known; null: of none. */
  readonly usd: number | null;
}

interface Sums {
  calls: number;
  failures: Record<string, number>;
  seconds: number;
  inputTokens: number;
  outputTokens: number;
  usd: number | null;
}

/** Counts calls to the helping models, which the configuration names: there are few. */
export class LlmTally {
  readonly #models = new Map<string, Pick<LlmCall, "role" | "provider" | "model"> & Sums>();

  observe({ role, provider, model, outcome, seconds, inputTokens, outputTokens, usd }: LlmCall): void {
    const key = JSON.stringify([role, provider, model]);
    let sums = this.#models.get(key);
    if (!sums) {
      sums = { role, provider, model, calls: 0, failures: {}, seconds: 0, inputTokens: 0, outputTokens: 0, usd: null };
      this.#models.set(key, sums);
    }
    sums.calls++;
    if (outcome !== "ok") sums.failures[outcome] = (sums.failures[outcome] ?? 0) + 1;
    sums.seconds += seconds;
    sums.inputTokens += inputTokens ?? 0;
    sums.outputTokens += outputTokens ?? 0;
    if (usd !== null) sums.usd = (sums.usd ?? 0) + usd;
  }

  read(): readonly LlmFigures[] {
    return [...this.#models.values()].map(({ seconds, failures, ...sums }) => ({
      ...sums,
      failures: { ...failures },
      meanSeconds: seconds / sums.calls,
    }));
  }
}
