export { DepartedIndex } from "./departed-index.ts";
export { type Departure, LONGEST_ARGUMENTS, type Regret, type RegretKind } from "./departure.ts";
export { type Detected, detectRegrets, type LiveContent, type Use } from "./detect.ts";
export {
  departureOf,
  forgetDepartures,
  fromStored,
  initialRegret,
  isRegretted,
  noteDeparture,
  noteRegret,
  noteReturn,
  type RegretState,
  type StoredRegret,
  toStored,
} from "./state.ts";
export { meanRate, needFactor, type RegretTally, reneedRate } from "./tally.ts";
