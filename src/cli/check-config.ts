import { Command } from "commander";
import { type Environment, resolveSettings } from "../config/index.ts";
import { type BuiltInStrategies, openConfig } from "../open-config.ts";
import { configSources } from "./config-sources.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";

interface Dependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  stdout(text: string): void;
}

/** `contextd check-config FILE`: whether a daemon would start with it. */
export function checkConfigCommand({ environment, builtIn, stdout }: Dependencies): Command {
  return new Command("check-config")
    .summary("check a config file")
    .description(
      "Checks a config file as `serve` would read it: with the environment over it, its plug-ins loaded and its profiles " +
        "resolved. Each mistake is told with its line, its key and the legal values.",
    )
    .argument("<file>", "the config file, YAML or JSON")
    .addHelpText(
      "after",
      `
Examples:
  contextd check-config contextd.yaml
  contextd check-config contextd.yaml && kill -HUP "$(pidof contextd)"
${EXIT_CODES_HELP}`,
    )
    .action(async (file: string) => {
      const { config } = await openConfig(configSources(file, environment), builtIn);
      const profiles = Object.keys(config.profiles);
      for (const profile of profiles) resolveSettings(config, profile);
      stdout(`${file} is good: profile ${config.profile}, ${profiles.length} profiles, store ${config.store.kind}\n`);
    });
}
