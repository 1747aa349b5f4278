import type { PanelBody } from "../grafana.ts";
import { PLUGIN_VERSION } from "./panel.ts";

interface AlertListOptions {
  readonly title: string;
  readonly description: string;
}

/** Rules that fire or are about to, of all rule sources that Grafana knows: the most important first. */
export function alertList({ title, description }: AlertListOptions): PanelBody {
  return {
    type: "alertlist",
    title,
    description: `${description}\n\nMetric: \`ALERTS\``,
    pluginVersion: PLUGIN_VERSION,
    fieldConfig: { defaults: {}, overrides: [] },
    options: {
      alertInstanceLabelFilter: "",
      alertName: "",
      dashboardAlerts: false,
      groupBy: [],
      groupMode: "default",
      maxItems: 30,
      showInactiveAlerts: false,
      /** Grafana's number for "importance". */
      sortOrder: 3,
      stateFilter: { error: true, firing: true, noData: false, normal: false, pending: true, recovering: true },
      viewMode: "list",
    },
  };
}
