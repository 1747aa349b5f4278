import type { Json } from "../model/json.ts";
import type { Link } from "./grafana.ts";

/** What all dashboards are tagged with; the links between them go by it. */
export const TAG = "contextd";

/** The other dashboards, with the time and the variables kept. */
export const DASHBOARD_LINKS: readonly Json[] = [
  {
    type: "dashboards",
    title: "contextd",
    tags: [TAG],
    asDropdown: false,
    icon: "external link",
    includeVars: true,
    keepTime: true,
    targetBlank: false,
    tooltip: "",
    url: "",
  },
];

/** From a cell that holds a session's id to the session in the daemon's own page. */
export const SESSION_LINK: Link = {
  title: "Open the session",
  url: `\${page}/#/session/\${__value.raw}`,
  targetBlank: true,
};

/** From a cell that holds an alert's name to what to do about it. */
export const RUNBOOK_LINK: Link = {
  title: "What to do",
  url: `\${runbooks}/\${__value.raw}.md`,
  targetBlank: true,
};

/** From a figure of an alert to its runbook. */
export const runbook = (alert: string): Link => ({
  title: `Runbook of ${alert}`,
  url: `\${runbooks}/${alert}.md`,
  targetBlank: true,
});

/** To another dashboard of ours. */
export const board = (title: string, uid: string): Link => ({
  title,
  url: `/d/${uid}?\${__url_time_range}&\${__all_variables}`,
  targetBlank: false,
});
