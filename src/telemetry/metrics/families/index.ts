import type { MetricFamily } from "../family.ts";
import { alertDeliveries } from "./alert-deliveries.ts";
import { alerts } from "./alerts.ts";
import { alertsFiring } from "./alerts-firing.ts";
import { budgetViolations } from "./budget-violations.ts";
import { buildInfo } from "./build-info.ts";
import { checkpoints } from "./checkpoints.ts";
import { compactions } from "./compactions.ts";
import { components } from "./components.ts";
import { configReload } from "./config-reload.ts";
import { editPayback } from "./edit-payback.ts";
import { estimatorError } from "./estimator-error.ts";
import { eventStream } from "./event-stream.ts";
import { evictions } from "./evictions.ts";
import { fidelity } from "./fidelity.ts";
import { floor } from "./floor.ts";
import { forecast } from "./forecast.ts";
import { hooks } from "./hooks.ts";
import { journal } from "./journal.ts";
import { learnedModels } from "./learned-models.ts";
import { livePush } from "./live-push.ts";
import { llm } from "./llm.ts";
import { otlp } from "./otlp.ts";
import { overflows } from "./overflows.ts";
import { prefixCache } from "./prefix-cache.ts";
import { processMetrics } from "./process.ts";
import { recalls } from "./recalls.ts";
import { regrets } from "./regrets.ts";
import { sessions } from "./sessions.ts";
import { shadow } from "./shadow.ts";
import { toolBloat } from "./tool-bloat.ts";
import { topSessions } from "./top-sessions.ts";
import { utilization } from "./utilization.ts";
import { velocity } from "./velocity.ts";
import { windowsOpened } from "./windows-opened.ts";
import { zoneTransitions } from "./zone-transitions.ts";

/** All metric families, in the order of the exposition. A new family is one file and one line here. */
export const FAMILIES: readonly MetricFamily[] = [
  buildInfo,
  sessions,
  hooks,
  utilization,
  velocity,
  forecast,
  zoneTransitions,
  components,
  budgetViolations,
  evictions,
  compactions,
  editPayback,
  llm,
  fidelity,
  prefixCache,
  toolBloat,
  recalls,
  regrets,
  shadow,
  floor,
  estimatorError,
  learnedModels,
  overflows,
  windowsOpened,
  checkpoints,
  alerts,
  alertDeliveries,
  alertsFiring,
  journal,
  eventStream,
  livePush,
  otlp,
  configReload,
  topSessions,
  processMetrics,
];
