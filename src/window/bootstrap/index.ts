export { type BootstrapInput, type BootstrapText, bootstrapText } from "./bootstrap-text.ts";
export type { Check, CheckOptions } from "./check.ts";
export { compareEnvironment, type Drift } from "./drift.ts";
export { environmentChecks } from "./environment-checks.ts";
export { CLOSE_REASONS, type CloseReason } from "./orientation.ts";
