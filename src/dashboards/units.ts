/** Grafana's ids of the units that the panels use. Tokens, turns and rows are plain counts: `short`. */
export type Unit =
  | "short"
  | "none"
  | "string"
  | "percentunit"
  | "s"
  | "dateTimeFromNow"
  | "bytes"
  | "reqps"
  | "ops"
  | "cps"
  | "currencyUSD";
