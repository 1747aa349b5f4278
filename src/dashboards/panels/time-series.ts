import type { FieldDefaults, Link, Override, PanelBody, Threshold } from "../grafana.ts";
import type { Unit } from "../units.ts";
import { described, OVER_TIME, PLUGIN_VERSION, PROMETHEUS, type Query, targets } from "./panel.ts";

interface TimeSeriesOptions {
  readonly title: string;
  readonly description: string;
  readonly queries: readonly Query[];
  readonly unit: Unit;
  /** `stack`: areas on top of one another; `bars`: counts of the time between two points. */
  readonly draw?: "lines" | "stack" | "bars";
  /** Drawn as dashed lines. */
  readonly steps?: readonly Threshold[];
  readonly overrides?: readonly Override[];
  readonly noValue?: string;
  readonly max?: number;
  /** The values may be below zero: the axis begins where they do. */
  readonly isSigned?: boolean;
  readonly link?: Link;
  /** Marks the observations that lead to a session. */
  readonly exemplar?: boolean;
}

export function timeSeries(options: TimeSeriesOptions): PanelBody {
  const { title, description, queries, unit, steps, overrides = [], exemplar = false } = options;
  const { draw = "lines", noValue = "No data", max, link, isSigned = false } = options;
  const defaults: FieldDefaults = {
    unit,
    ...(!isSigned && { min: 0 }),
    noValue,
    color: { mode: "palette-classic" },
    mappings: [],
    thresholds: { mode: "absolute", steps: steps ?? [{ color: "text", value: null }] },
    ...(max !== undefined && { max }),
    ...(link !== undefined && { links: [link] }),
    custom: custom(draw, steps !== undefined),
  };
  return {
    type: "timeseries",
    title,
    description: described(description, queries),
    pluginVersion: PLUGIN_VERSION,
    datasource: PROMETHEUS,
    fieldConfig: { defaults, overrides },
    options: {
      legend: { calcs: ["lastNotNull", "max"], displayMode: "table", placement: "bottom", showLegend: true },
      tooltip: { hideZeros: draw !== "lines", mode: "multi", sort: "desc" },
    },
    targets: targets(queries, { ...OVER_TIME, exemplar }),
  };
}

function custom(draw: "lines" | "stack" | "bars", hasSteps: boolean) {
  return {
    axisBorderShow: false,
    axisCenteredZero: false,
    axisColorMode: "text",
    axisLabel: "",
    axisPlacement: "auto",
    barAlignment: 0,
    drawStyle: draw === "bars" ? "bars" : "line",
    fillOpacity: { lines: 5, stack: 60, bars: 70 }[draw],
    gradientMode: "none",
    hideFrom: { legend: false, tooltip: false, viz: false },
    insertNulls: false,
    lineInterpolation: "linear",
    lineWidth: draw === "bars" ? 0 : 1,
    pointSize: 5,
    scaleDistribution: { type: "linear" },
    showPoints: "never",
    spanNulls: false,
    stacking: { group: "A", mode: draw === "lines" ? "none" : "normal" },
    thresholdsStyle: { mode: hasSteps ? "dashed" : "off" },
  };
}
