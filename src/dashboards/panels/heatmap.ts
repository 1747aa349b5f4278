import type { PanelBody } from "../grafana.ts";
import type { Expression } from "../promql.ts";
import type { Unit } from "../units.ts";
import { AS_HEATMAP, described, PLUGIN_VERSION, PROMETHEUS, targets } from "./panel.ts";

interface HeatmapOptions {
  readonly title: string;
  readonly description: string;
  /** Counts by bucket (promql.ts, `buckets`). */
  readonly expr: Expression<"le">;
  /** Of the buckets' bounds. */
  readonly unit: Unit;
  readonly exemplar?: boolean;
}

/** How a histogram's observations spread over time; the scheme has none of the zones' colours. */
export function heatmap({ title, description, expr, unit, exemplar = false }: HeatmapOptions): PanelBody {
  const queries = [{ expr, legend: "{{le}}" }];
  return {
    type: "heatmap",
    title,
    description: described(description, queries),
    pluginVersion: PLUGIN_VERSION,
    datasource: PROMETHEUS,
    fieldConfig: {
      defaults: {
        unit: "short",
        noValue: "No data",
        custom: {
          hideFrom: { legend: false, tooltip: false, viz: false },
          scaleDistribution: { type: "linear" },
        },
      },
      overrides: [],
    },
    options: {
      calculate: false,
      cellGap: 1,
      cellValues: { unit: "short" },
      color: {
        exponent: 0.5,
        fill: "dark-blue",
        mode: "scheme",
        reverse: false,
        scale: "exponential",
        scheme: "Blues",
        steps: 64,
      },
      exemplars: { color: "rgba(255,255,255,0.8)" },
      filterValues: { le: 1e-9 },
      legend: { show: true },
      rowsFrame: { layout: "auto" },
      showValue: "never",
      tooltip: { mode: "single", showColorScale: true, yHistogram: true },
      yAxis: { axisPlacement: "left", reverse: false, unit },
    },
    targets: targets(queries, { ...AS_HEATMAP, exemplar }),
  };
}
