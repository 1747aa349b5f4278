import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** dashboards/, the files as Grafana is given them. */
export const DASHBOARDS = join(import.meta.dirname, "../../dashboards");

interface Target {
  readonly refId: string;
  readonly datasource: { readonly type: string; readonly uid: string };
  readonly expr?: string;
  readonly legendFormat?: string;
  readonly format?: string;
  readonly instant?: boolean;
  readonly range?: boolean;
  readonly channel?: string;
}

export interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly datasource?: { readonly type: string; readonly uid: string };
  readonly fieldConfig?: {
    readonly defaults: { readonly unit?: string; readonly noValue?: string };
    readonly overrides: readonly {
      readonly matcher: { readonly id: string; readonly options: string };
      readonly properties: readonly { readonly id: string; readonly value: unknown }[];
    }[];
  };
  readonly targets?: readonly Target[];
}

export interface Variable {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly query: unknown;
  readonly datasource?: { readonly uid: string };
  readonly definition?: string;
  readonly multi?: boolean;
  readonly allValue?: string;
  readonly refresh?: number;
}

export interface Annotation {
  readonly name: string;
  readonly expr?: string;
}

export interface GrafanaDashboard {
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly schemaVersion: number;
  readonly editable: boolean;
  readonly graphTooltip: number;
  readonly tags: readonly string[];
  readonly links: readonly Record<string, unknown>[];
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly Variable[] };
  readonly annotations: { readonly list: readonly Annotation[] };
}

export function committedDashboards(): { readonly file: string; readonly dashboard: GrafanaDashboard }[] {
  const files = readdirSync(DASHBOARDS).filter((name) => name.endsWith(".json"));
  return files.map((file) => ({ file, dashboard: JSON.parse(readFileSync(join(DASHBOARDS, file), "utf8")) }));
}

/** Panels that show something: the headings are left out. */
export function shownPanels({ panels }: GrafanaDashboard): readonly Panel[] {
  return panels.filter(({ type }) => type !== "row");
}

/** A query of a panel. */
export interface PanelQuery {
  readonly dashboard: string;
  readonly panel: Panel;
  readonly refId: string;
  readonly expr: string;
  readonly isInstant: boolean;
}

export function queriesOf(dashboard: GrafanaDashboard): PanelQuery[] {
  return shownPanels(dashboard).flatMap((panel) =>
    (panel.targets ?? []).flatMap(({ refId, expr, instant }) =>
      expr === undefined ? [] : [{ dashboard: dashboard.title, panel, refId, expr, isInstant: instant === true }],
    ),
  );
}

export interface Selector {
  readonly text: string;
  /** The series' name: a histogram's has its suffix. */
  readonly name: string;
  readonly matchers: string;
  /** In brackets; undefined for one at an instant. */
  readonly range: string | undefined;
  /** What stands before it: the function that takes it. */
  readonly before: string;
}

export function selectorsOf(expr: string): Selector[] {
  return [...expr.matchAll(/([a-zA-Z_]\w*)\{([^}]*)\}(?:\[([^\]]+)\])?/g)].map((match) => ({
    text: match[0],
    name: match[1] as string,
    matchers: match[2] as string,
    range: match[3],
    before: expr.slice(0, match.index),
  }));
}

/** What Grafana puts in for its variables, given the values of ours. */
export function interpolated(expr: string, values: Readonly<Record<string, string>>): string {
  return expr.replaceAll(/\$\{?(\w+)\}?/g, (variable, name: string) => values[name] ?? variable);
}
