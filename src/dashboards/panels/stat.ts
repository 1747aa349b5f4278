import type { FieldDefaults, Link, PanelBody, Threshold } from "../grafana.ts";
import type { Unit } from "../units.ts";
import { NEUTRAL_STEPS } from "../zones.ts";
import { AT_ONCE, described, OVER_TIME, PLUGIN_VERSION, PROMETHEUS, type Query, targets } from "./panel.ts";

interface StatOptions extends Query {
  readonly title: string;
  readonly description: string;
  readonly unit: Unit;
  readonly steps?: readonly Threshold[];
  readonly decimals?: number;
  /** What stands there when the query gives nothing. */
  readonly noValue?: string;
  readonly mappings?: FieldDefaults["mappings"];
  readonly link?: Link;
  /** `history` draws the last hours behind the figure; `now` asks for the one figure only. */
  readonly shows?: "history" | "now";
}

/** One figure, coloured by its steps. */
export function stat(options: StatOptions): PanelBody {
  const { title, description, unit, steps = NEUTRAL_STEPS, noValue = "0", shows = "history" } = options;
  const { decimals, mappings, link } = options;
  return {
    type: "stat",
    title,
    description: described(description, [options]),
    pluginVersion: PLUGIN_VERSION,
    datasource: PROMETHEUS,
    fieldConfig: {
      defaults: {
        unit,
        noValue,
        color: { mode: "thresholds" },
        thresholds: { mode: "absolute", steps },
        mappings: mappings ?? [],
        ...(decimals !== undefined && { decimals }),
        ...(link !== undefined && { links: [link] }),
      },
      overrides: [],
    },
    options: {
      colorMode: "value",
      graphMode: shows === "history" ? "area" : "none",
      justifyMode: "auto",
      orientation: "auto",
      percentChangeColorMode: "standard",
      reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
      showPercentChange: false,
      textMode: "auto",
      wideLayout: true,
    },
    targets: targets([options], shows === "history" ? OVER_TIME : AT_ONCE),
  };
}
