export { LAB_FIGURE_NAMES } from "./figures.ts";
export { Lab } from "./lab.ts";
export type { LabReplay } from "./lab-replay.ts";
export { type LabTimeline, tellingRun } from "./report.ts";
