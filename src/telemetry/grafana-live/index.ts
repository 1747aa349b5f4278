export { openGrafanaLive } from "./open.ts";
