import { isJsonObject, type Json } from "../model/json.ts";
import { type JsonSchema, schemaAt } from "./json-schema.ts";
import type { Config } from "./schema.ts";
import { schemasOf } from "./session-settings.ts";

/** What is printed in place of a secret. */
const MASK = "<secret>";

/** The config as plain values with each secret that is set replaced by `<secret>`. */
export function maskSecrets(config: Config): Json {
  return masked(config as unknown as Json, schemasOf(config).json);
}

function masked(value: Json, schema: JsonSchema): Json {
  if (schema.writeOnly === true) return value === null ? null : MASK;
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      const node = schemaAt(schema, [key]);
      return [key, node ? masked(member, node) : member];
    }),
  );
}
