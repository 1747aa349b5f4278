import type { SessionSettings } from "../config/index.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { type Dimension, oneOf, pick, rounded, share, step } from "./dimension.ts";
import type { SearchedPolicy } from "./policies.ts";
import type { Random } from "./split.ts";

/** Orange where the size of the window decides it: the lowest, so that a depth below it is below all. */
const LEAST_AUTO_ORANGE = 0.65;
/** How deep a pass may go, as shares of orange. Deeper ones throw away what was just paid for. */
const DEPTHS = [0.25, 0.95] as const;
/** How far yellow stands below orange, and red above it. */
const YELLOW_GAPS = [0.1, 0.25];
const RED_GAPS = [0.05, 0.1, 0.15];

/** Where a pass is due. The sessions of a replay are given the window at which it is due at the same rendered size. */
const thresholds: Dimension = {
  path: "pressure.thresholds",
  applies: () => true,
  draw: (random, settings) => thresholdsAt(0.5 + 0.4 * random(), random, settings),
  near: (random, settings, value) => {
    const orange = isJsonObject(value) ? Number(value["orange"]) : LEAST_AUTO_ORANGE + 0.1;
    return thresholdsAt(orange + 0.2 * (random() - 0.5), random, settings);
  },
};

function thresholdsAt(wanted: number, random: Random, { pressure, budget }: SessionSettings): JsonObject {
  const highest = Math.min(pressure.emergency, 1 - budget.allocations.output_reserved);
  const gap = pick(RED_GAPS, random);
  const orange = rounded(Math.min(Math.max(wanted, 0.4), highest - gap));
  return { yellow: rounded(orange - pick(YELLOW_GAPS, random)), orange, red: rounded(orange + gap) };
}

/** Shares of the signals of the hybrid score: any mixture is as likely as any other. */
const weights: Dimension = {
  path: "eviction.weights",
  applies: ({ eviction }) => eviction.policy === "hybrid",
  draw: (random, settings) => mixture(Object.keys(settings.eviction.weights), random),
  near: (random, settings, value) => {
    const other = mixture(Object.keys(settings.eviction.weights), random);
    const own = value as Record<string, number>;
    const sum = Object.values(own).reduce((total, weight) => total + weight, 0);
    return Object.fromEntries(
      Object.entries(other).map(([name, weight]) => [name, rounded(0.7 * ((own[name] ?? 0) / sum) + 0.3 * weight)]),
    );
  },
};

/** A point of the simplex, uniformly: exponential draws over their sum. */
function mixture(names: readonly string[], random: Random): Record<string, number> {
  const draws = names.map((name) => [name, -Math.log(1 - random())] as const);
  const sum = draws.reduce((total, [, draw]) => total + draw, 0);
  return Object.fromEntries(draws.map(([name, draw]) => [name, rounded(draw / sum)]));
}

function orangeOf({ pressure }: SessionSettings): number {
  return pressure.thresholds === "auto" ? LEAST_AUTO_ORANGE : pressure.thresholds.orange;
}

function depths(settings: SessionSettings): readonly [number, number] {
  const orange = orangeOf(settings);
  return [DEPTHS[0] * orange, DEPTHS[1] * orange];
}

type LedgerSwitch = SessionSettings["ledger"]["enabled"];

/** Whether lines are carried over, which `auto` leaves to the policy. */
function carrying(carriesLines: (settings: SessionSettings, enabled?: LedgerSwitch) => boolean): Dimension {
  const other = (_random: Random, settings: SessionSettings) => !carriesLines(settings);
  return {
    path: "ledger.enabled",
    applies: () => true,
    draw: other,
    near: other,
    isSame: (settings, one, two) =>
      carriesLines(settings, one as LedgerSwitch) === carriesLines(settings, two as LedgerSwitch),
  };
}

/**
 * The settings that are searched: a new one is a line here. Each stands behind those that its values depend on. What
 * keeps a user's words or protects content is none of them: the measure cannot see its worth.
 *
 * @param searched policies to choose from.
 * @param known all that evict, those of the settings that the search starts from among them.
 */
export function dimensions(searched: readonly string[], known: readonly SearchedPolicy[]): readonly Dimension[] {
  const batched = new Set(known.flatMap(({ name, freesInBatches }) => (freesInBatches ? [name] : [])));
  const freesInBatches = ({ eviction }: SessionSettings) => batched.has(eviction.policy);
  const carriesLines = (settings: SessionSettings, enabled: LedgerSwitch = settings.ledger.enabled) =>
    enabled === "auto" ? freesInBatches(settings) : enabled;
  return [
    oneOf("eviction.policy", searched),
    weights,
    thresholds,
    step("pressure.forecast_turns", [0, 1, 2, 3, 5]),
    share("eviction.target_utilization", depths, freesInBatches),
    step("eviction.keep_recent_units", [1, 2, 3, 4, 6, 8]),
    share(
      "eviction.keep_recent_tokens",
      () => [0.02, 0.3],
      ({ eviction }) => eviction.keep_recent_units > 1,
    ),
    carrying(carriesLines),
    share("ledger.share", () => [0.05, 0.6], carriesLines),
    share("ledger.stable_share", () => [0, 1], carriesLines),
    share(
      "ledger.refresh_below",
      () => [0, 1],
      (settings) => carriesLines(settings) && settings.ledger.stable_share > 0,
    ),
    step("ledger.least_need", [0, 0.5, 1, 1.5, 2, 3, 5], carriesLines),
  ];
}
