import type { DataSource, LiveTarget, Override, PanelBody } from "../grafana.ts";
import type { Unit } from "../units.ts";
import { PLUGIN_VERSION } from "./panel.ts";
import { type Column, tableOf } from "./table.ts";

const GRAFANA: DataSource = { type: "grafana", uid: "-- Grafana --" };

/** How long an open panel remembers, ms: the daemon pushes, nothing keeps. */
const BUFFER_MS = 900_000;

/** Measurements that the daemon pushes into Grafana Live. */
export type Measurement = "zone_event" | "eviction_event" | "window";

function target(measurement: Measurement): LiveTarget {
  return {
    refId: "A",
    datasource: GRAFANA,
    queryType: "measurements",
    channel: `stream/contextd/${measurement}`,
    buffer: BUFFER_MS,
  };
}

interface LiveOptions {
  readonly title: string;
  readonly description: string;
  readonly measurement: Measurement;
}

const body = ({ title, description, measurement }: LiveOptions) => ({
  title,
  description: `${description}\n\nMetric: \`stream/contextd/${measurement}\``,
  pluginVersion: PLUGIN_VERSION,
  datasource: GRAFANA,
  targets: [target(measurement)],
});

/** Events as they come in, newest first, while the panel is open. */
export function liveTable(options: LiveOptions & { readonly columns: readonly Column[] }): PanelBody {
  const newestFirst = { column: options.columns[0]?.title ?? "", descending: true };
  return { type: "table", ...body(options), ...tableOf(options.columns, newestFirst, "–") };
}

/** A field of a measurement as it comes in. */
export function liveSeries(
  options: LiveOptions & { readonly field: string; readonly unit: Unit; readonly overrides: readonly Override[] },
): PanelBody {
  return {
    type: "timeseries",
    ...body(options),
    fieldConfig: {
      defaults: {
        unit: options.unit,
        min: 0,
        noValue: "Nothing came in since this panel was opened",
        color: { mode: "palette-classic" },
        mappings: [],
        custom: { drawStyle: "line", lineWidth: 1, fillOpacity: 0, showPoints: "auto", pointSize: 4, spanNulls: true },
      },
      overrides: options.overrides,
    },
    options: {
      legend: { calcs: ["lastNotNull"], displayMode: "table", placement: "right", showLegend: true },
      tooltip: { hideZeros: false, mode: "multi", sort: "desc" },
    },
    // A series' name is its field's and its labels: the measurement's other fields are left out.
    transformations: [
      { id: "filterFieldsByName", options: { include: { pattern: `^(time|${options.field}\\b.*)$` } } },
    ],
  };
}
