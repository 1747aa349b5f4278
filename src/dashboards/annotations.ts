import type { Json } from "../model/json.ts";
import { PROMETHEUS } from "./panels/panel.ts";
import { growth, matching, now, sum } from "./promql.ts";
import { ZONE_COLOURS } from "./zones.ts";

/** A mark at each time that a metric names by its value: seconds since the epoch. */
const atItsValue = (name: string, iconColor: string, expr: string, title: string) => ({
  name,
  datasource: { ...PROMETHEUS },
  enable: true,
  hide: false,
  iconColor,
  expr: `${expr} * 1000`,
  titleFormat: title,
  textFormat: "{{instance}}",
  tagKeys: "job,instance",
  step: "60s",
  useValueForTime: true,
});

const redTransitions = sum(growth("contextd_zone_transitions_total", { to: matching("orange|red") }), "from", "to");

export const ANNOTATIONS: readonly Json[] = [
  {
    builtIn: 1,
    datasource: { type: "grafana", uid: "-- Grafana --" },
    enable: true,
    hide: true,
    iconColor: "rgba(0, 211, 255, 1)",
    name: "Annotations & Alerts",
    type: "dashboard",
  },
  {
    name: "Zone changes",
    datasource: { ...PROMETHEUS },
    enable: true,
    hide: false,
    iconColor: ZONE_COLOURS.red,
    expr: `${redTransitions.text} > 0`,
    titleFormat: "To {{to}}",
    textFormat: "Sessions went from {{from}} to {{to}}",
    tagKeys: "from,to",
    step: "60s",
    useValueForTime: false,
  },
  atItsValue(
    "Config reloads",
    "#7db4ff",
    now("contextd_config_last_reload_success_timestamp_seconds").text,
    "Configuration loaded",
  ),
  atItsValue("Restarts", "#a3abb5", now("process_start_time_seconds").text, "Daemon started"),
];
