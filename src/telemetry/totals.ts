import type { Observer, PublishedEvent } from "../model/events.ts";

/** Counts since the daemon's start that its status tells people. */
export class Totals implements Observer {
  readonly name = "totals";
  #tokensFreed = 0;
  #overflows = 0;

  observe(events: readonly PublishedEvent[]): void {
    for (const event of events) {
      if (event.type === "overflow.reported") this.#overflows++;
      else if (event.type === "history.compacted") {
        this.#tokensFreed += Math.max(0, event.data.tokens_before - event.data.tokens_after);
      }
    }
  }

  read(): { readonly tokensFreed: number; readonly overflows: number } {
    return { tokensFreed: this.#tokensFreed, overflows: this.#overflows };
  }
}
