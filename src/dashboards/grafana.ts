import type { Json } from "../model/json.ts";
import type { Unit } from "./units.ts";

/** The part of Grafana's Classic dashboard JSON that is written here; schemaVersion 42 is that of Grafana 12. */

export interface DataSource {
  readonly type: string;
  readonly uid: string;
}

export interface Threshold {
  readonly color: string;
  /** Lower bound; null for the first step. */
  readonly value: number | null;
}

export interface Link {
  readonly title: string;
  readonly url: string;
  readonly targetBlank: boolean;
}

export interface Override {
  readonly matcher: { readonly id: "byName" | "byRegexp"; readonly options: string };
  readonly properties: readonly { readonly id: string; readonly value: Json }[];
}

export interface FieldDefaults {
  readonly unit?: Unit;
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly noValue?: string;
  readonly color?: Json;
  readonly thresholds?: { readonly mode: "absolute"; readonly steps: readonly Threshold[] };
  readonly mappings?: readonly Json[];
  readonly links?: readonly Link[];
  readonly custom?: Json;
}

export interface PrometheusTarget {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly expr: string;
  readonly legendFormat: string;
  readonly format: "time_series" | "table" | "heatmap";
  readonly instant: boolean;
  readonly range: boolean;
  readonly exemplar: boolean;
  readonly editorMode: "code";
}

export interface LiveTarget {
  readonly refId: string;
  readonly datasource: DataSource;
  readonly queryType: "measurements";
  readonly channel: string;
  /** How far back the panel remembers what came in while it is open, ms. */
  readonly buffer: number;
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** What a kind of panel says of itself; its id and place come from the layout. */
export interface PanelBody {
  readonly type: string;
  readonly title: string;
  readonly description: string;
  readonly pluginVersion: string;
  readonly datasource?: DataSource;
  readonly fieldConfig: { readonly defaults: FieldDefaults; readonly overrides: readonly Override[] };
  readonly options: Json;
  readonly targets?: readonly (PrometheusTarget | LiveTarget)[];
  readonly transformations?: readonly Json[];
}

export interface PlacedPanel extends PanelBody {
  readonly id: number;
  readonly gridPos: Place;
}

/** A heading over a group of panels. */
export interface RowPanel {
  readonly id: number;
  readonly type: "row";
  readonly title: string;
  readonly collapsed: false;
  readonly gridPos: Place;
  readonly panels: readonly [];
}

export interface DashboardJson {
  readonly annotations: { readonly list: readonly Json[] };
  readonly description: string;
  readonly editable: false;
  readonly fiscalYearStartMonth: 0;
  /** 1: one crosshair over all panels. */
  readonly graphTooltip: 1;
  readonly id: null;
  readonly links: readonly Json[];
  readonly panels: readonly (PlacedPanel | RowPanel)[];
  readonly preload: false;
  readonly refresh: string;
  readonly schemaVersion: 42;
  readonly tags: readonly string[];
  readonly templating: { readonly list: readonly Json[] };
  readonly time: { readonly from: string; readonly to: string };
  readonly timepicker: object;
  readonly timezone: "browser";
  readonly title: string;
  readonly uid: string;
  readonly version: 1;
}
