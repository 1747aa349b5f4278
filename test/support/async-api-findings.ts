import { isJsonObject, type Json, type JsonObject } from "../../src/model/json.ts";
import { schemaFindings } from "./json-schema-findings.ts";

/**
 * Where a message of the event stream is not as an AsyncAPI document says. Keys that the document does not tell of are
 * findings too, of the envelope and of the data, though consumers are to let them pass.
 */
export function asyncApiFindings(document: JsonObject, message: JsonObject): string[] {
  const { messages, schemas } = document["components"] as { messages: JsonObject; schemas: JsonObject };
  const found = Object.entries(messages).find(([, told]) => isJsonObject(told) && told["name"] === message["type"]);
  if (found === undefined) return [`no message of type ${String(message["type"])}`];
  const [name, told] = found;
  const expected = {
    allOf: [
      { $ref: "#/components/schemas/envelope" },
      {
        type: "object",
        properties: {
          type: { const: message["type"] as string },
          data: { $ref: `#/components/schemas/${name}.data` },
        },
      },
    ],
  };
  if (JSON.stringify((told as JsonObject)["payload"]) !== JSON.stringify(expected)) return [`${name}: another payload`];
  const closed = (schema: string): JsonObject => ({ ...(schemas[schema] as JsonObject), additionalProperties: false });
  return [
    ...schemaFindings(closed("envelope"), message),
    ...schemaFindings(closed(`${name}.data`), message["data"] as Json, "$.data"),
  ];
}
