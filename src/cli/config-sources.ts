import type { ConfigSources, Environment, FlagSetting } from "../config/index.ts";

/** A config file named on the command line, else by CONTEXTD_CONFIG, else none; the environment; the flags. */
export function configSources(
  file: string | undefined,
  environment: Environment,
  flags: readonly FlagSetting[] = [],
): ConfigSources {
  return { file: file ?? environment["CONTEXTD_CONFIG"] ?? null, environment, flags };
}
