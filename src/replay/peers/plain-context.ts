import { messageFormats } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import type { ReplayRequest } from "../contender.ts";
import type { PreparedRun } from "../prepared-run.ts";
import type { Reading } from "../readings.ts";
import { type PlainUnit, unitsOf } from "./units.ts";

/** A policy of a context that is managed without contextd. Both may drop units and put messages in others' place. */
export interface PlainPolicy {
  /** A message has come. */
  arrived?(context: PlainContext, place: number): void;
  /** A request is about to be made. */
  manage(context: PlainContext): void;
}

/** The requests of a run under such a policy, made anew for each replay because it may remember. */
export function* playPlain(run: PreparedRun, policy: PlainPolicy): Generator<ReplayRequest> {
  const context = new PlainContext(run);
  for (const [place, message] of run.conversation.messages.entries()) {
    if (message["role"] === "assistant") {
      policy.manage(context);
      yield context.request();
    }
    context.arrive(place);
    policy.arrived?.(context, place);
  }
}

interface Standing {
  readonly message: JsonObject;
  readonly reading: Reading;
}

/** The messages of a run that have come, less what was dropped, some of them in other words. */
export class PlainContext {
  readonly run: PreparedRun;
  readonly #units: readonly PlainUnit[];
  readonly #unitOf = new Map<number, PlainUnit>();
  /** What stands in the context, by place, in order. */
  readonly #standing = new Map<number, Standing>();
  /** A message that stands before the first one that is not pinned. */
  #note: Standing | null = null;
  #noteNumber = 0;
  #tokens: number;
  #edits = 0;
  /** Messages that have come. */
  #arrived = 0;
  /** Place of the assistant message that the step under way began with. */
  #step = 0;
  #turn = 0;

  constructor(run: PreparedRun) {
    this.run = run;
    this.#units = unitsOf(run);
    for (const unit of this.#units) for (const place of unit.places) this.#unitOf.set(place, unit);
    const { messages: _messages, ...beside } = run.conversation;
    this.#tokens = run.readings.of({ ...beside, messages: [] })[0]?.tokens ?? 0;
  }

  /** Tokens of the next request, as it stands. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Number of the next request, from 0. */
  get turn(): number {
    return this.#turn;
  }

  /** Units that stand, oldest first, without the step under way: what may be dropped. */
  get droppable(): PlainUnit[] {
    return this.#units.filter(({ places: [first = 0] }) => first < this.#step && this.#standing.has(first));
  }

  /** Places of the messages that stand, rising. */
  get places(): number[] {
    return [...this.#standing.keys()];
  }

  unitOf(place: number): PlainUnit | undefined {
    return this.#unitOf.get(place);
  }

  /** The message at a place as it stands now; undefined when it has been dropped or has not come. */
  messageAt(place: number): JsonObject | undefined {
    return this.#standing.get(place)?.message;
  }

  tokensOf({ places }: PlainUnit): number {
    return places.reduce((sum, place) => sum + (this.#standing.get(place)?.reading.tokens ?? 0), 0);
  }

  /** Needed values on the lines of the message at a place, as it stands now. */
  valuesAt(place: number): readonly number[] {
    return this.#standing.get(place)?.reading.onLines ?? [];
  }

  arrive(place: number): void {
    this.#put(place, this.run.conversation.messages[place] as JsonObject);
  }

  drop(unit: PlainUnit): void {
    for (const place of unit.places) {
      this.#tokens -= this.#standing.get(place)?.reading.tokens ?? 0;
      this.#standing.delete(place);
    }
    this.#edits++;
  }

  /** Drops the given units, in their order, until the context holds at most `tokens`. */
  dropUntil(tokens: number, order: Iterable<PlainUnit> = this.droppable): void {
    for (const unit of order) {
      if (this.#tokens <= tokens) return;
      this.drop(unit);
    }
  }

  replace(place: number, message: JsonObject): void {
    this.#put(place, message);
    this.#edits++;
  }

  /** Tokens that a message takes. */
  weigh(message: JsonObject): number {
    return this.run.readings.ofMessage(message).tokens;
  }

  /** Puts a message of the user's role right behind the pinned ones, in the place of the one before; null: none. */
  setNote(text: string | null): void {
    this.#tokens -= this.#note?.reading.tokens ?? 0;
    this.#note = null;
    if (text === null) return;
    const format = messageFormats[this.run.format];
    const message = format.join(format.compose("user", text));
    this.#note = this.#read(message);
    this.#noteNumber++;
    this.#tokens += this.#note.reading.tokens;
  }

  /** What is sent now. The step that follows it is the one under way. */
  request(): ReplayRequest {
    const { messages: _messages, ...beside } = this.run.conversation;
    const entries = [...this.#standing].map(([place, { message }]) => ({ id: String(place), message }));
    if (this.#note !== null) {
      const behindPinned = entries.findIndex(({ id }) => this.#unitOf.has(Number(id)));
      const note = { id: `note ${this.#noteNumber}`, message: this.#note.message };
      entries.splice(behindPinned < 0 ? entries.length : behindPinned, 0, note);
    }
    const edits = this.#edits;
    this.#edits = 0;
    this.#turn++;
    this.#step = this.#arrived;
    return {
      context: { ...beside, messages: entries.map(({ message }) => message) },
      ids: entries.map(({ id }) => id),
      edits,
    };
  }

  #put(place: number, message: JsonObject): void {
    const standing = this.#read(message);
    this.#tokens += standing.reading.tokens - (this.#standing.get(place)?.reading.tokens ?? 0);
    this.#standing.set(place, standing);
    this.#arrived = Math.max(this.#arrived, place + 1);
  }

  #read(message: JsonObject): Standing {
    return { message, reading: this.run.readings.ofMessage(message) };
  }
}
