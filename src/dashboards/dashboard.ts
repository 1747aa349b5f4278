import { ANNOTATIONS } from "./annotations.ts";
import type { DashboardJson } from "./grafana.ts";
import { place, type Section } from "./layout.ts";
import { DASHBOARD_LINKS, TAG } from "./links.ts";
import { VARIABLES } from "./variables.ts";

export interface Dashboard {
  /** Never changes: links, bookmarks and alerts go by it. At most 40 characters. */
  readonly uid: string;
  readonly title: string;
  readonly description: string;
  readonly sections: readonly Section[];
  /** How often an open dashboard asks again. */
  readonly refresh?: string;
  readonly from?: string;
}

/** A dashboard as Grafana reads it. */
export function render({ uid, title, description, sections, refresh, from }: Dashboard): DashboardJson {
  return {
    annotations: { list: ANNOTATIONS },
    description,
    editable: false,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    id: null,
    links: DASHBOARD_LINKS,
    panels: place(sections),
    preload: false,
    refresh: refresh ?? "30s",
    schemaVersion: 42,
    tags: [TAG],
    templating: { list: VARIABLES },
    time: { from: from ?? "now-1h", to: "now" },
    timepicker: {},
    timezone: "browser",
    title,
    uid,
    version: 1,
  };
}
