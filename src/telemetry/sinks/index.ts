export type { FiringAlert, SinkFigures } from "./alert-sinks.ts";
export { openAlertSinks } from "./open.ts";
