import type { Observer, PublishedEvent } from "../model/events.ts";

interface TenantTotals {
  tokensFreed: number;
  overflows: number;
}

/** Counts since the daemon's start that its status tells people: each tenant its own. */
export class Totals implements Observer {
  readonly name = "totals";
  readonly #tenants = new Map<string, TenantTotals>();

  observe(events: readonly PublishedEvent[]): void {
    for (const event of events) {
      if (event.type === "overflow.reported") this.#of(event.tenant).overflows++;
      else if (event.type === "history.compacted") {
        this.#of(event.tenant).tokensFreed += Math.max(0, event.data.tokens_before - event.data.tokens_after);
      }
    }
  }

  read(tenant: string): Readonly<TenantTotals> {
    return this.#tenants.get(tenant) ?? { tokensFreed: 0, overflows: 0 };
  }

  #of(tenant: string): TenantTotals {
    let totals = this.#tenants.get(tenant);
    if (!totals) {
      totals = { tokensFreed: 0, overflows: 0 };
      this.#tenants.set(tenant, totals);
    }
    return totals;
  }
}
