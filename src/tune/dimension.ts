import type { SessionSettings } from "../config/index.ts";
import type { Json } from "../model/json.ts";
import type { Random } from "./split.ts";

/** A setting that is searched. */
export interface Dimension {
  /** Where it stands in the settings of a session: `eviction.keep_recent_units`. */
  readonly path: string;
  /** Whether it has an effect beside the other settings. */
  applies(settings: SessionSettings): boolean;
  /** A legal value, from anywhere. `settings` are those that it is going to stand among. */
  draw(random: Random, settings: SessionSettings): Json;
  /** Another legal value, near to the present one. */
  near(random: Random, settings: SessionSettings, value: Json): Json;
  /** Whether two values do the same beside the other settings; absent: equal ones alone do. */
  isSame?(settings: SessionSettings, one: Json, two: Json): boolean;
}

const always = () => true;

/** One of some values without order. */
export function oneOf(
  path: string,
  values: readonly Json[],
  applies: (settings: SessionSettings) => boolean = always,
): Dimension {
  const draw = (random: Random) => pick(values, random);
  return { path, applies, draw, near: draw };
}

/** One of some values in order: its neighbours are near. */
export function step(
  path: string,
  values: readonly number[],
  applies: (settings: SessionSettings) => boolean = always,
): Dimension {
  return {
    path,
    applies,
    draw: (random) => pick(values, random),
    near: (random, _settings, value) => {
      const up = random() < 0.5;
      const neighbours = values.filter((other) => (up ? other > Number(value) : other < Number(value)));
      return (up ? neighbours[0] : neighbours.at(-1)) ?? pick(values, random);
    },
  };
}

/** Decimals of a share in a profile: finer ones are below the noise of any set of runs. */
const DECIMALS = 2;
/** How far near is, as a part of the range. */
const NEAR = 0.15;

/** A share between two bounds that may follow from other settings. */
export function share(
  path: string,
  range: (settings: SessionSettings) => readonly [number, number],
  applies: (settings: SessionSettings) => boolean = always,
): Dimension {
  const draw = (random: Random, settings: SessionSettings) => {
    const [low, high] = range(settings);
    return rounded(low + (high - low) * random());
  };
  return {
    path,
    applies,
    draw,
    near: (random, settings, value) => {
      if (typeof value !== "number") return draw(random, settings);
      const [low, high] = range(settings);
      const moved = value + (2 * random() - 1) * NEAR * (high - low);
      return rounded(Math.min(high, Math.max(low, moved)));
    },
  };
}

export function rounded(value: number): number {
  return Number(value.toFixed(DECIMALS));
}

export function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
