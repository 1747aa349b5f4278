import { callKeyOf } from "../eviction/index.ts";
import type { CoreEvent } from "../model/events.ts";
import { textOf } from "../model/part.ts";
import { identifierHashes, type ReferenceIndex } from "../references/index.ts";
import { DepartedIndex } from "../regret/index.ts";
import type { Parts } from "./live-context.ts";
import type { Session } from "./session.ts";

/**
 * The index of what lately left one session, as the events tell it. It belongs to the session's analysis, which
 * knows the identifiers of what is about to leave; what is known of a session read back is read from its contents.
 */
export class RegretWatch {
  readonly index = new DepartedIndex({
    identifiers: identifierHashes,
    callKey: (name, argumentsText) => callKeyOf({ name, argumentsText }),
  });
  readonly #session: Session;
  #leaving: { readonly identifiers: Float64Array | null; readonly text: string | null; readonly after: number } | null =
    null;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Takes up what had left before the session was read back: `parts` gives the contents that its snapshot names. */
  resume(parts: Parts): void {
    for (const departure of this.#session.regret.departures) {
      const text = textOf(parts(departure.hash, departure.call?.id ?? null));
      this.index.add({ departure, identifiers: null, text });
    }
  }

  /** Before an edit is applied: content of the block is about to leave. */
  leaving(blockId: string, references: ReferenceIndex): void {
    const block = this.#session.blocks.get(blockId);
    if (!block) return;
    const identifiers = references.identifiersOf(blockId);
    const after = this.#session.regret.departures.length;
    this.#leaving = { identifiers, text: identifiers === null ? textOf(block.part) : null, after };
  }

  /** Before a block's content comes back. */
  returning(blockId: string): void {
    for (const departure of this.#session.regret.departures) {
      if (departure.blockId === blockId) this.index.return(departure);
    }
  }

  /** After an event was applied. */
  after(event: CoreEvent): void {
    if (event.type === "turn.started") this.index.expire(event.data.turn);
    if (this.#leaving === null) return;
    const { identifiers, text, after } = this.#leaving;
    this.#leaving = null;
    const departure = this.#session.regret.departures[after];
    if (departure) this.index.add({ departure, identifiers, text });
  }
}
