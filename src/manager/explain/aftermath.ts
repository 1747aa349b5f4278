import type { CoreEvent, EventData, EventType } from "../../model/events.ts";
import type { Zone } from "../../model/zone.ts";
import { passOf } from "./pass-span.ts";

/** A row behind the pass that holds none of these tells nothing of it and need not be parsed. */
export const TELLING_LATER =
  /"(?:history\.compacted|history\.diverged|provider\.edited|regret\.detected|fidelity\.evaluated|turn\.ended)"/;

/** Later edits of the prompt: what is measured behind them is theirs as well. */
const LATER_EDITS: ReadonlySet<EventType> = new Set(["history.compacted", "history.diverged", "provider.edited"]);

/** Turns of which the usage is kept. */
const MOST_TURNS_MEASURED = 100;

/** What the session's later events tell of a pass. */
export class Aftermath {
  readonly #passId: string;
  /** Of the first measurement behind the pass, where no other pass came in between; null: there was none. */
  zoneAfter: Zone | null = null;
  nextPassId: string | null = null;
  /** The last judgement of the pass; null: it was not judged. */
  fidelity: EventData["fidelity.evaluated"] | null = null;
  readonly regrets: EventData["regret.detected"][] = [];
  /** Turns that ended before the prompt was edited again, the oldest first. */
  readonly turns: EventData["turn.ended"][] = [];
  #editedAgain = false;

  constructor(passId: string) {
    this.#passId = passId;
  }

  /** An event of the pass itself, or one that came behind it. */
  add(event: CoreEvent): void {
    switch (event.type) {
      case "fidelity.evaluated":
        if (passOf(event) === this.#passId) this.fidelity = event.data;
        break;
      case "regret.detected":
        if (passOf(event) === this.#passId) this.regrets.push(event.data);
        break;
      case "turn.ended":
        if (!this.#editedAgain && this.turns.length < MOST_TURNS_MEASURED) this.turns.push(event.data);
        break;
      case "pressure.measured":
        if (!this.#editedAgain) this.zoneAfter ??= event.data.zone;
        break;
      default:
    }
    if (!LATER_EDITS.has(event.type) || passOf(event) === this.#passId) return;
    this.#editedAgain = true;
    if (event.type === "history.compacted") this.nextPassId ??= event.data.pass_id;
  }
}
