export type { PolicyFigures } from "./policy-measure.ts";
export { Shadow } from "./shadow.ts";
export type { PolicyTotal, ShadowFigures } from "./totals.ts";
export type { WatchedSession } from "./watched-session.ts";
