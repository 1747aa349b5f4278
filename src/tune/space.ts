import type { SessionSettings } from "../config/index.ts";
import { ContextdError } from "../model/errors.ts";
import { canonicalJson, type JsonObject } from "../model/json.ts";
import { type Candidate, keyOf, START, settingsOf, valueAt } from "./candidate.ts";
import { type Dimension, pick } from "./dimension.ts";
import type { Random } from "./split.ts";

/** Draws in which a legal candidate that was not tried is found, or there is none to speak of. */
const ATTEMPTS = 50;
/** How often a setting takes part in a candidate drawn at random: few do, so that it can be told what pays. */
const TAKES_PART = 0.4;
/** How often a step away from a candidate takes a setting back to where the search started. */
const TAKES_BACK = 0.25;
/** How often a step moves a second setting too. */
const MOVES_TWO = 0.4;

/**
 * The candidates that may be tried: settings over those that the search starts from. Every candidate that it hands out
 * is legal, and names no setting that has no effect beside the others or stands where it stood.
 */
export class Space {
  readonly dimensions: readonly Dimension[];
  readonly #resolve: (own: JsonObject) => SessionSettings;
  readonly #start: SessionSettings;
  readonly #random: Random;

  /** @param resolve the settings of a session with these own ones; throws ContextdError for those that do not fit. */
  constructor(
    dimensions: readonly Dimension[],
    { resolve, random }: { readonly resolve: (own: JsonObject) => SessionSettings; readonly random: Random },
  ) {
    this.dimensions = dimensions;
    this.#resolve = resolve;
    this.#start = resolve({});
    this.#random = random;
  }

  /** A candidate from anywhere; null when none was found that is not `known`. */
  draw(known: ReadonlySet<string>): Candidate | null {
    return this.#attempt(known, () =>
      this.#changed(START, (dimension, settings) =>
        this.#random() < TAKES_PART ? dimension.draw(this.#random, settings) : undefined,
      ),
    );
  }

  /** A candidate one or two settings away from the given one. */
  near(candidate: Candidate, known: ReadonlySet<string>): Candidate | null {
    return this.#attempt(known, () => {
      const moved = new Set([pick(this.dimensions, this.#random)]);
      if (this.#random() < MOVES_TWO) moved.add(pick(this.dimensions, this.#random));
      const back = Object.keys(candidate).length > 0 && this.#random() < TAKES_BACK;
      const from = back ? without(candidate, pick(Object.keys(candidate), this.#random)) : candidate;
      if (back && moved.size === 1) return this.#changed(from, () => undefined);
      return this.#changed(from, (dimension, settings) =>
        moved.has(dimension) ? dimension.near(this.#random, settings, valueAt(settings, dimension.path)) : undefined,
      );
    });
  }

  /** A candidate that has each setting from one of two. */
  cross(one: Candidate, other: Candidate, known: ReadonlySet<string>): Candidate | null {
    return this.#attempt(known, () => this.#changed(START, ({ path }) => (this.#random() < 0.5 ? one : other)[path]));
  }

  /** The candidates that differ from the start in one setting less, where they are legal. */
  simpler(candidate: Candidate): Candidate[] {
    const simpler = Object.keys(candidate).map((path) => this.#changed(without(candidate, path), () => undefined));
    return simpler.filter((one) => one !== null);
  }

  #attempt(known: ReadonlySet<string>, make: () => Candidate | null): Candidate | null {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const candidate = make();
      if (candidate !== null && !known.has(keyOf(candidate))) return candidate;
    }
    return null;
  }

  /**
   * The candidate with other values of some settings, one dimension after the other, so that a value can depend on those
   * before it. Null when the settings do not fit one another.
   */
  #changed(
    from: Candidate,
    choose: (dimension: Dimension, settings: SessionSettings) => Candidate[string] | undefined,
  ): Candidate | null {
    let settings = this.#start;
    let changes: Candidate = START;
    for (const dimension of this.dimensions) {
      const { path } = dimension;
      if (!dimension.applies(settings)) continue;
      const value = choose(dimension, this.#with(settings, changes, from, path)) ?? from[path];
      if (value === undefined || this.#isAsBefore(dimension, settings, value)) continue;
      changes = { ...changes, [path]: value };
      const resolved = this.#resolved(changes);
      if (resolved === null) return null;
      settings = resolved;
    }
    return changes;
  }

  /** Whether a value does what that of the start does. */
  #isAsBefore({ path, isSame }: Dimension, settings: SessionSettings, value: Candidate[string]): boolean {
    const before = valueAt(this.#start, path);
    return canonicalJson(value) === canonicalJson(before) || isSame?.(settings, value, before) === true;
  }

  /** The settings among which a value is chosen: those before it as changed, its own as the candidate has it. */
  #with(settings: SessionSettings, changes: Candidate, from: Candidate, path: string): SessionSettings {
    const own = from[path];
    return own === undefined ? settings : (this.#resolved({ ...changes, [path]: own }) ?? settings);
  }

  #resolved(candidate: Candidate): SessionSettings | null {
    try {
      return this.#resolve(settingsOf(candidate));
    } catch (error) {
      if (error instanceof ContextdError) return null;
      throw error;
    }
  }
}

function without(candidate: Candidate, path: string): Candidate {
  const { [path]: _gone, ...rest } = candidate;
  return rest;
}
