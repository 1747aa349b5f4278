import type { z } from "zod";
import {
  type Config,
  ConfigHolder,
  ConfigSchemas,
  type ConfigSources,
  loadConfig,
  loadPlugins,
  NO_PLUGINS,
  type Plugins,
  readPluginPaths,
} from "./config/index.ts";
import type { Registry } from "./model/strategy.ts";

/** The strategies that are built in: what a config may name without plug-ins. */
export interface BuiltInStrategies {
  readonly scorers: Registry<unknown>;
  readonly compressionMethods: Registry<unknown>;
  readonly healthRules: Registry<unknown>;
}

export interface OpenedConfig {
  readonly config: Config;
  readonly plugins: Plugins;
  /** Reads the same sources again on `reload()`. Plug-ins are loaded once, so their names stay as they are. */
  readonly holder: ConfigHolder;
}

/** The schemas of a config that may name the built-in strategies and those of the plug-ins. */
export function schemasFor(builtIn: BuiltInStrategies, plugins: Plugins = NO_PLUGINS): ConfigSchemas {
  const scorers = { ...builtIn.scorers, ...plugins.scorers };
  const methods = { ...builtIn.compressionMethods, ...plugins.compression_methods };
  const rules = { ...builtIn.healthRules, ...plugins.health_rules };
  return new ConfigSchemas({
    policies: Object.keys(scorers),
    compressionMethods: Object.keys(methods),
    healthRules: Object.keys(rules),
    policyOptions: optionsOf(scorers),
    methodOptions: optionsOf(methods),
    sinkOptions: optionsOf(plugins.sinks),
    ruleOptions: optionsOf(rules),
  });
}

function optionsOf(registry: Registry<unknown>): Record<string, z.ZodType> {
  return Object.fromEntries(Object.entries(registry).map(([name, { options }]) => [name, options]));
}

/** Reads the config with its plug-ins. Throws ConfigError when either is refused. */
export async function openConfig(sources: ConfigSources, builtIn: BuiltInStrategies): Promise<OpenedConfig> {
  const withoutPlugins = schemasFor(builtIn);
  const modules = readPluginPaths(sources, withoutPlugins);
  const plugins = await loadPlugins(modules, {
    scorers: Object.keys(builtIn.scorers),
    compression_methods: Object.keys(builtIn.compressionMethods),
    sinks: ["alertmanager", "log"],
    health_rules: Object.keys(builtIn.healthRules),
  });
  const schemas = modules.length === 0 ? withoutPlugins : schemasFor(builtIn, plugins);
  const config = loadConfig(sources, schemas);
  return { config, plugins, holder: new ConfigHolder(config, () => loadConfig(sources, schemas)) };
}
