import type { Json } from "../model/json.ts";
import { type LabelOf, METRICS, type MetricName } from "./metrics.ts";
import { PROMETHEUS } from "./panels/panel.ts";

/** Address of the daemon's own page, as a browser reaches it: an instance's name may be known inside a cluster only. */
const PAGE = "http://localhost:7420";
/** Folder of the runbooks; a text box that is not shown, so that `&var-runbooks=` can point elsewhere. */
const RUNBOOKS = "https://github.com/contextd/contextd/blob/main/docs/runbooks";

const HIDDEN = 2;
const ON_TIME_RANGE_CHANGE = 2;

/** Several values of a label, or all that have one. A histogram's series go by the name of its count. */
function labelValues<N extends MetricName>(name: LabelOf<N>, label: string, metric: N, narrowed: string) {
  const series = METRICS[metric].type === "histogram" ? `${metric}_count` : metric;
  const query = `label_values(${series}${narrowed}, ${name})`;
  return {
    name,
    label,
    type: "query",
    datasource: { ...PROMETHEUS },
    query: { query, refId: `Prometheus-${name}` },
    definition: query,
    current: { selected: true, text: ["All"], value: ["$__all"] },
    hide: 0,
    includeAll: true,
    allValue: ".+",
    multi: true,
    options: [],
    refresh: ON_TIME_RANGE_CHANGE,
    regex: "",
    skipUrlSync: false,
    sort: 1,
  };
}

const textBox = (name: string, label: string, value: string, hide: number) => ({
  name,
  label,
  type: "textbox",
  query: value,
  current: { selected: true, text: value, value },
  options: [{ selected: true, text: value, value }],
  hide,
  skipUrlSync: false,
});

/** The same on every dashboard, so that the links between them keep them. */
export const VARIABLES: readonly Json[] = [
  {
    name: "datasource",
    label: "Data source",
    type: "datasource",
    query: "prometheus",
    current: {},
    hide: 0,
    includeAll: false,
    multi: false,
    options: [],
    refresh: 1,
    regex: "",
    skipUrlSync: false,
  },
  labelValues("job", "Job", "contextd_build_info", ""),
  labelValues("instance", "Instance", "contextd_build_info", '{job=~"$job"}'),
  labelValues("profile", "Profile", "contextd_context_utilization_ratio", '{job=~"$job", instance=~"$instance"}'),
  labelValues("model", "Model", "contextd_context_utilization_ratio", '{job=~"$job", instance=~"$instance"}'),
  textBox("page", "contextd page", PAGE, 0),
  textBox("runbooks", "Runbooks", RUNBOOKS, HIDDEN),
];
