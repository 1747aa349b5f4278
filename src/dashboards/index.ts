import { alerts } from "./boards/alerts.ts";
import { daemon } from "./boards/daemon.ts";
import { eviction } from "./boards/eviction.ts";
import { fleet } from "./boards/fleet.ts";
import { live } from "./boards/live.ts";
import { pressure } from "./boards/pressure.ts";
import { render } from "./dashboard.ts";
import type { DashboardJson } from "./grafana.ts";

const BOARDS = { fleet, pressure, eviction, live, alerts, daemon };

export interface DashboardFile {
  /** Name of the file in dashboards/. */
  readonly name: string;
  readonly dashboard: DashboardJson;
}

/** All dashboards, as they stand in dashboards/. */
export function dashboardFiles(): DashboardFile[] {
  return Object.entries(BOARDS).map(([name, board]) => ({ name: `${name}.json`, dashboard: render(board) }));
}

/** The text of a dashboard's file. */
export function dashboardText({ dashboard }: DashboardFile): string {
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
