import { Command } from "commander";
import { type Environment, maskSecrets, resolveSettings, writeYaml } from "../config/index.ts";
import type { Json } from "../model/json.ts";
import { type BuiltInStrategies, openConfig } from "../open-config.ts";
import { configSources } from "./config-sources.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";

interface Dependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  stdout(text: string): void;
}

/** `contextd print-config`: what the daemon would run with, secrets left out. */
export function printConfigCommand({ environment, builtIn, stdout }: Dependencies): Command {
  return new Command("print-config")
    .summary("print the effective config")
    .description("Prints the config in effect as YAML: defaults, file and environment merged. Secrets read <secret>.")
    .option("-c, --config <file>", "the config file (or set CONTEXTD_CONFIG)")
    .option("-p, --profile <name>", "only what a session of this profile runs with")
    .addHelpText(
      "after",
      `
Examples:
  contextd print-config
  contextd print-config --config contextd.yaml
  contextd print-config --profile local-8k
${EXIT_CODES_HELP}`,
    )
    .action(async (options: { readonly config?: string; readonly profile?: string }) => {
      const { config } = await openConfig(configSources(options.config, environment), builtIn);
      if (options.profile === undefined) stdout(writeYaml(maskSecrets(config)));
      else stdout(writeYaml(resolveSettings(config, options.profile) as unknown as Json));
    });
}
