import type { JsonSchema } from "./json-schema.ts";
import { configJsonSchema, settingsJsonSchema } from "./json-schema.ts";
import { configSchema, type StrategyNames, sessionSchema } from "./schema.ts";

/** The schemas for one set of strategies. Making them takes some 30 ms: make them once and pass them on. */
export class ConfigSchemas {
  readonly config: ReturnType<typeof configSchema>;
  readonly session: ReturnType<typeof sessionSchema>;
  /** The config's schema as JSON Schema. */
  readonly json: JsonSchema;
  /** The part of it that describes the settings of a session. */
  readonly settingsJson: JsonSchema;

  constructor(names: StrategyNames) {
    this.config = configSchema(names);
    this.session = sessionSchema(names);
    this.json = configJsonSchema(this.config, this.session);
    this.settingsJson = settingsJsonSchema(this.json);
  }
}
