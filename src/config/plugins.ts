import { pathToFileURL } from "node:url";
import type { Registry, Strategy } from "../model/strategy.ts";
import { ConfigError, unknownKey } from "./config-error.ts";

/** The kinds of strategy that a plug-in module may export: each export is a record of strategies by name. */
const PLUGIN_EXPORTS = ["scorers", "compression_methods", "sinks"] as const;
export type PluginExport = (typeof PLUGIN_EXPORTS)[number];

/** The strategies of all plug-ins by kind and name. What a strategy builds is for its registry to know. */
export type Plugins = { readonly [Kind in PluginExport]: Registry<unknown> };

export const NO_PLUGINS: Plugins = { scorers: {}, compression_methods: {}, sinks: {} };

/** A name is a config value and a metric label. */
const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * Loads the user's ES modules. `taken` are the built-in names: a plug-in can add a strategy but not replace one.
 * Throws ConfigError when a module is missing, fails, or exports anything but records of strategies.
 */
export async function loadPlugins(
  modules: readonly string[],
  taken: Readonly<Partial<Record<PluginExport, readonly string[]>>> = {},
): Promise<Plugins> {
  const plugins: Record<PluginExport, Record<string, Strategy<unknown>>> = {
    scorers: {},
    compression_methods: {},
    sinks: {},
  };
  for (const module of modules) {
    const refuse = (problem: string, cause?: unknown) =>
      new ConfigError([{ path: "plugins", problem: `names ${module}, ${problem}`, place: "" }], { cause });
    for (const [kind, strategies] of Object.entries(await importModule(module, refuse))) {
      if (!isKind(kind)) {
        throw refuse(`whose export "${kind}" ${unknownKey(kind, PLUGIN_EXPORTS)}; a plug-in exports nothing else`);
      }
      for (const [name, strategy] of Object.entries(recordOf(strategies, kind, refuse))) {
        if (!NAME.test(name)) {
          throw refuse(`whose ${kind} hold the name "${name}"; a name is lower case letters, digits and underscores`);
        }
        if (!isStrategy(strategy)) {
          throw refuse(
            `whose ${kind}.${name} is no strategy: it needs summary, options (a zod schema) and configure()`,
          );
        }
        if (taken[kind]?.includes(name) || Object.hasOwn(plugins[kind], name)) {
          throw refuse(`whose ${kind}.${name} has a name that is taken; call it something else`);
        }
        plugins[kind][name] = strategy;
      }
    }
  }
  return plugins;
}

type Refuse = (problem: string, cause?: unknown) => ConfigError;

async function importModule(module: string, refuse: Refuse): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(module).href)) as Record<string, unknown>;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ERR_MODULE_NOT_FOUND") throw refuse("a module that, or an import of which, does not exist", error);
    const reason = error instanceof Error ? firstLine(`${error.name}: ${error.message}`) : "a value that is no Error";
    throw refuse(`which failed while it was loaded (${reason})`, error);
  }
}

function isKind(name: string): name is PluginExport {
  return (PLUGIN_EXPORTS as readonly string[]).includes(name);
}

function recordOf(value: unknown, kind: string, refuse: Refuse): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw refuse(`whose export "${kind}" is no record of strategies by name`);
}

function isStrategy(value: unknown): value is Strategy<unknown> {
  if (typeof value !== "object" || value === null) return false;
  const { summary, options, configure } = value as Partial<Record<keyof Strategy<unknown>, unknown>>;
  if (typeof summary !== "string" || typeof configure !== "function") return false;
  return typeof options === "object" && options !== null && "safeParse" in options;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? text;
}
