export { type Measurement, measureTurn, measureWithin, type PressureInput, remeasure, type Spike } from "./measure.ts";
export { outputReserve, outputReserveFree } from "./reserve.ts";
export { afterEmergency, type Route, type RouteInput, route, targetTokens } from "./route.ts";
export { foldPressure, initialPressure, type Measured, type Moment, type PressureState } from "./state.ts";
export { autoThresholds, effectiveThresholds } from "./thresholds.ts";
export { nextZone, zoneAt } from "./zones.ts";
