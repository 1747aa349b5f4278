import { Command, Option } from "commander";
import { type JsonSchema, renderKeyTables, renderReference } from "../config/index.ts";
import { type BuiltInStrategies, schemasFor } from "../open-config.ts";
import { EXIT_CODES_HELP } from "./exit-code.ts";

/** The forms of the schema; config/ and docs/config.md hold them, and a test compares. */
const SCHEMA_FORMATS: Readonly<Record<string, (schema: JsonSchema) => string>> = {
  json: (schema) => `${JSON.stringify(schema, null, 2)}\n`,
  yaml: renderReference,
  markdown: renderKeyTables,
};

interface Dependencies {
  readonly builtIn: BuiltInStrategies;
  stdout(text: string): void;
}

/** `contextd print-schema`: what a config may hold. */
export function printSchemaCommand({ builtIn, stdout }: Dependencies): Command {
  return new Command("print-schema")
    .summary("print what a config may hold")
    .description("Prints the schema of the config: JSON Schema for editors, a commented YAML file, or Markdown tables.")
    .addOption(
      new Option("-f, --format <format>", "form of the schema").choices(Object.keys(SCHEMA_FORMATS)).default("json"),
    )
    .addHelpText(
      "after",
      `
Examples:
  contextd print-schema > contextd.schema.json
  contextd print-schema --format yaml > contextd.yaml
${EXIT_CODES_HELP}`,
    )
    .action(({ format }: { readonly format: string }) => {
      const render = SCHEMA_FORMATS[format];
      if (render) stdout(render(schemasFor(builtIn).json));
    });
}
