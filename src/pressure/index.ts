export { type Measurement, measureTurn, measureWithin, type PressureInput, remeasure } from "./measure.ts";
export { outputReserve, outputReserveFree } from "./reserve.ts";
export { needsNextWindow, route, targetTokens } from "./route.ts";
export { foldPressure, initialPressure, type PressureState } from "./state.ts";
export { effectiveThresholds } from "./thresholds.ts";
export { zoneAt } from "./zones.ts";
