import type { CoreEvent, Observer, PublishedEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";

/** Sequence numbers set aside for each journal row at a restart, so that numbers never go back. */
const PER_ROW = 65_536;

/** Gives committed events their sequence and hands them to the observers, which cannot break the emitter. */
export class Publisher {
  readonly #observers: readonly Observer[];
  readonly #onFault: (observer: string, error: unknown) => void;
  #sequence: number;

  /** @param lastRow number of the journal's last row at start. */
  constructor(
    options: { readonly lastRow: number },
    dependencies: {
      readonly observers: readonly Observer[];
      readonly onFault: (observer: string, error: unknown) => void;
    },
  ) {
    this.#observers = dependencies.observers;
    this.#onFault = dependencies.onFault;
    this.#sequence = options.lastRow * PER_ROW;
  }

  get lastSequence(): number {
    return this.#sequence;
  }

  publish(
    key: SessionKey | null,
    labels: PublishedEvent["labels"],
    at: number,
    events: readonly CoreEvent[],
    traceparent: string | null,
  ): void {
    if (events.length === 0) return;
    const tenant = key?.tenant ?? "";
    const session = key?.id ?? null;
    const published = events.map(({ type, data }) => {
      const event = { type, data, sequence: ++this.#sequence, tenant, session, at, labels };
      return (traceparent === null ? event : { ...event, traceparent }) as PublishedEvent;
    });
    for (const observer of this.#observers) {
      try {
        observer.observe(published);
      } catch (error) {
        this.#onFault(observer.name, error);
      }
    }
  }
}
