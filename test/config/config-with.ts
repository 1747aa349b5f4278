import { builtIn } from "../../src/built-in.ts";
import { type Config, loadConfig, NO_SOURCES } from "../../src/config/index.ts";
import type { Json } from "../../src/model/json.ts";
import { schemasFor } from "../../src/open-config.ts";

/** The schemas of a daemon without plug-ins. */
export const schemas = schemasFor(builtIn);

/** The defaults with single keys set, as flags would: `{"server.port": 0}`. */
export function configWith(settings: Readonly<Record<string, Json>> = {}): Config {
  const flags = Object.entries(settings).map(([path, value]) => ({ flag: "test", path: path.split("."), value }));
  return loadConfig({ ...NO_SOURCES, flags }, schemas);
}
