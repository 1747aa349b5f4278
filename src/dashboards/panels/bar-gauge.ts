import type { PanelBody, Threshold } from "../grafana.ts";
import type { Unit } from "../units.ts";
import { NEUTRAL_STEPS } from "../zones.ts";
import { AT_ONCE, described, PLUGIN_VERSION, PROMETHEUS, type Query, targets } from "./panel.ts";

interface BarGaugeOptions {
  readonly title: string;
  readonly description: string;
  readonly queries: readonly Query[];
  readonly unit: Unit;
  readonly steps?: readonly Threshold[];
  /** Where a bar is full. */
  readonly max?: number;
  readonly noValue?: string;
}

/** One bar a series, as things stand. */
export function barGauge(options: BarGaugeOptions): PanelBody {
  const { title, description, queries, unit, steps = NEUTRAL_STEPS, max, noValue = "No data" } = options;
  return {
    type: "bargauge",
    title,
    description: described(description, queries),
    pluginVersion: PLUGIN_VERSION,
    datasource: PROMETHEUS,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        noValue,
        color: { mode: "thresholds" },
        mappings: [],
        thresholds: { mode: "absolute", steps },
        ...(max !== undefined && { max }),
      },
      overrides: [],
    },
    options: {
      displayMode: "basic",
      legend: { calcs: [], displayMode: "list", placement: "bottom", showLegend: false },
      maxVizHeight: 300,
      minVizHeight: 12,
      minVizWidth: 8,
      namePlacement: "auto",
      orientation: "horizontal",
      reduceOptions: { calcs: ["lastNotNull"], fields: "", values: false },
      showUnfilled: true,
      sizing: "auto",
      valueMode: "color",
    },
    targets: targets(queries, AT_ONCE),
  };
}
