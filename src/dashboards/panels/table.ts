import type { Json } from "../../model/json.ts";
import type { Link, Override, PanelBody, Threshold } from "../grafana.ts";
import type { Expression } from "../promql.ts";
import type { Unit } from "../units.ts";
import { AS_TABLE, described, PLUGIN_VERSION, PROMETHEUS, targets } from "./panel.ts";

/** A column of a table: a label of the series, or `Value`. */
export interface Column {
  readonly field: string;
  readonly title: string;
  readonly unit?: Unit;
  readonly width?: number;
  readonly link?: Link;
  /** A bar in the cell, or its words, coloured by the steps. */
  readonly bar?: readonly Threshold[];
  readonly coloured?: readonly Json[];
  /** A figure that stands for none. */
  readonly none?: number;
}

interface TableOptions {
  readonly title: string;
  readonly description: string;
  readonly expr: Expression;
  /** In their order; fields that are not named are left out. */
  readonly columns: readonly Column[];
  readonly sortBy: { readonly column: string; readonly descending: boolean };
  readonly noValue?: string;
}

/** The series of an instant query as rows. */
export function table(options: TableOptions): PanelBody {
  const { title, description, expr, columns, sortBy, noValue = "–" } = options;
  const queries = [{ expr }];
  return {
    type: "table",
    title,
    description: described(description, queries),
    pluginVersion: PLUGIN_VERSION,
    datasource: PROMETHEUS,
    ...tableOf(columns, sortBy, noValue),
    targets: targets(queries, AS_TABLE),
  };
}

/** What tables of any source have in common: columns, their names, cells, links and order. */
export function tableOf(
  columns: readonly Column[],
  { column, descending }: TableOptions["sortBy"],
  noValue: string,
): Pick<PanelBody, "fieldConfig" | "options" | "transformations"> {
  const indexByName = Object.fromEntries(columns.map(({ field }, index) => [field, index]));
  const renameByName = Object.fromEntries(columns.map(({ field, title }) => [field, title]));
  return {
    fieldConfig: {
      defaults: {
        unit: "none",
        noValue,
        color: { mode: "thresholds" },
        mappings: [],
        thresholds: { mode: "absolute", steps: [{ color: "text", value: null }] },
        custom: { align: "auto", cellOptions: { type: "auto" }, filterable: true, inspect: false },
      },
      overrides: columns.map(overrideOf),
    },
    options: { cellHeight: "sm", showHeader: true, sortBy: [{ displayName: column, desc: descending }] },
    transformations: [
      { id: "filterFieldsByName", options: { include: { names: columns.map(({ field }) => field) } } },
      { id: "organize", options: { excludeByName: {}, indexByName, renameByName } },
    ],
  };
}

function overrideOf({ title, unit, width, link, bar, coloured, none }: Column): Override {
  return {
    matcher: { id: "byName", options: title },
    properties: [
      { id: "unit", value: unit ?? "string" },
      ...(width === undefined ? [] : [{ id: "custom.width", value: width }]),
      ...(link === undefined ? [] : [{ id: "links", value: [{ ...link }] }]),
      ...(none === undefined
        ? []
        : [{ id: "mappings", value: [{ type: "value", options: { [none]: { text: "–", index: 0 } } }] }]),
      ...(bar === undefined
        ? []
        : [
            { id: "thresholds", value: { mode: "absolute", steps: bar.map((step) => ({ ...step })) } },
            { id: "min", value: 0 },
            { id: "max", value: 1 },
            { id: "custom.cellOptions", value: { type: "gauge", mode: "basic", valueDisplayMode: "text" } },
          ]),
      ...(coloured === undefined
        ? []
        : [
            { id: "mappings", value: [...coloured] },
            { id: "custom.cellOptions", value: { type: "color-text" } },
          ]),
    ],
  };
}
