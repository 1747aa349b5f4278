import { ZONES, type Zone } from "../model/zone.ts";
import type { Override, Threshold } from "./grafana.ts";

/** The zones' colours, those of the daemon's own page. Nothing else on a dashboard is coloured like them. */
export const ZONE_COLOURS: Readonly<Record<Zone, string>> = {
  green: "#3fae8c",
  yellow: "#f0dd82",
  orange: "#f0883a",
  red: "#ff4d6d",
};

/**
 * Lower bounds of the zones as shares of a window, for drawing: those of windows up to 131,072 tokens. Smaller windows
 * turn earlier and larger ones later; which zone a session is in is its own affair (contextd_sessions says).
 */
const BOUNDS: Readonly<Record<Zone, number | null>> = { green: null, yellow: 0.5, orange: 0.75, red: 0.9 };

/** Steps at which a utilization, or any share of a window or budget, takes the zones' colours. */
export const ZONE_STEPS: readonly Threshold[] = ZONES.map((zone) => ({
  color: ZONE_COLOURS[zone],
  value: BOUNDS[zone],
}));

/** Series named after a zone, in its colour: the name stands alone, behind other words, or as a label's value. */
export const ZONE_SERIES: readonly Override[] = ZONES.map((zone) => ({
  matcher: { id: "byRegexp", options: `/(^|[\\s"=])${zone}(["}]|$)/` },
  properties: [{ id: "color", value: { mode: "fixed", fixedColor: ZONE_COLOURS[zone] } }],
}));

/** Zones' names as values of a table's cell, in their colours. */
export const ZONE_CELLS = ZONES.map((zone, index) => ({
  type: "value",
  options: { [zone]: { color: ZONE_COLOURS[zone], index, text: zone } },
}));

const { green, orange, red } = ZONE_COLOURS;

/** One colour for figures that are neither good nor bad. */
export const NEUTRAL_STEPS: readonly Threshold[] = [{ color: "text", value: null }];

/** Green, and red from a bound on. */
export const badFrom = (bound: number): readonly Threshold[] => [
  { color: green, value: null },
  { color: red, value: bound },
];

/** Green, orange from a bound on, red from the next. */
export const worseFrom = (warning: number, critical: number): readonly Threshold[] => [
  { color: green, value: null },
  { color: orange, value: warning },
  { color: red, value: critical },
];

/** Red, and green from a bound on. */
export const goodFrom = (bound: number): readonly Threshold[] => [
  { color: red, value: null },
  { color: green, value: bound },
];
