import { compressionMethods } from "./compression/index.ts";
import { scorers } from "./eviction/index.ts";
import { healthRules } from "./health/index.ts";
import type { BuiltInStrategies } from "./open-config.ts";

/** What a config may name without plug-ins. */
export const builtIn: BuiltInStrategies = { scorers, compressionMethods, healthRules };
