import type { DataSource, PrometheusTarget } from "../grafana.ts";
import type { Expression } from "../promql.ts";

/** The version of Grafana whose panels these are: it runs no migrations on them. */
export const PLUGIN_VERSION = "12.2.0";

export const PROMETHEUS: DataSource = { type: "prometheus", uid: `\${datasource}` };

/** A query and what its series are called. `{{label}}` stands for a label's value. */
export interface Query {
  readonly expr: Expression<never> | Expression;
  readonly legend?: string;
}

type Format = Pick<PrometheusTarget, "format" | "instant"> & { readonly exemplar?: boolean };

export const OVER_TIME: Format = { format: "time_series", instant: false };
export const AT_ONCE: Format = { format: "time_series", instant: true };
export const AS_TABLE: Format = { format: "table", instant: true };
export const AS_HEATMAP: Format = { format: "heatmap", instant: false };

export function targets(queries: readonly Query[], { format, instant, exemplar = false }: Format): PrometheusTarget[] {
  return queries.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode(65 + index),
    datasource: PROMETHEUS,
    expr: expr.text,
    legendFormat: legend ?? "",
    format,
    instant,
    range: !instant,
    exemplar,
    editorMode: "code",
  }));
}

/** A panel's description: what is said of it, then the metrics behind it. */
export function described(description: string, queries: readonly Query[]): string {
  const names = [...new Set(queries.flatMap(({ expr }) => expr.metrics))].map((name) => `\`${name}\``);
  return `${description}\n\n${names.length === 1 ? "Metric" : "Metrics"}: ${names.join(", ")}`;
}
