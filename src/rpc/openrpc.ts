import { ERRORS } from "../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { jsonSchemaOf } from "./json-schema.ts";
import type { RpcMethod } from "./method.ts";

export interface ServiceInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
}

/** The OpenRPC 1.3 document of a registry: what `rpc.discover` and `/openrpc.json` answer. */
export function openRpcDocument(methods: readonly RpcMethod[], info: ServiceInfo): JsonObject {
  const schemas: JsonObject = {};
  const described = methods.map((method) => methodObject(method, schemas));
  return {
    openrpc: "1.3.2",
    info: { title: info.title, version: info.version, description: info.description },
    methods: described,
    components: { schemas, errors: errorComponents() },
  };
}

function methodObject(method: RpcMethod, schemas: JsonObject): JsonObject {
  const params = hoisted(jsonSchemaOf(method.params, "input"), `${method.name}.params`, schemas);
  const result = hoisted(jsonSchemaOf(method.result, "output"), `${method.name}.result`, schemas);
  const required = Array.isArray(params["required"]) ? params["required"] : [];
  const properties = isJsonObject(params["properties"]) ? params["properties"] : {};
  return {
    name: method.name,
    summary: method.summary,
    paramStructure: "by-name",
    // OpenRPC wants the required ones first.
    params: Object.entries(properties)
      .map(([name, schema]) => ({ name, required: required.includes(name), schema }))
      .sort((a, b) => Number(b.required) - Number(a.required)),
    result: { name: "result", schema: result },
    errors: Object.keys(ERRORS).map((reason) => ({ $ref: `#/components/errors/${reason}` })),
    "x-scope": method.scope,
    "x-mutates": method.mutates,
  };
}

function errorComponents(): JsonObject {
  return Object.fromEntries(
    Object.entries(ERRORS).map(([reason, { code, meaning, retryable }]) => [
      reason,
      { code, message: meaning, data: { reason, retryable } },
    ]),
  );
}

/** Moves a schema's own definitions to the document's components, so that its references hold wherever its parts go. */
function hoisted(schema: JsonObject, prefix: string, schemas: JsonObject): JsonObject {
  const { definitions, ...rest } = schema;
  const renamed = (reference: string): string =>
    reference.startsWith("#/definitions/")
      ? `#/components/schemas/${prefix}.${reference.slice("#/definitions/".length)}`
      : reference;
  if (isJsonObject(definitions)) {
    for (const [name, definition] of Object.entries(definitions)) {
      schemas[`${prefix}.${name}`] = withReferences(definition, renamed);
    }
  }
  return withReferences(rest, renamed) as JsonObject;
}

function withReferences(node: Json, renamed: (reference: string) => string): Json {
  if (Array.isArray(node)) return node.map((item) => withReferences(item, renamed));
  if (!isJsonObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [
      key,
      key === "$ref" && typeof value === "string" ? renamed(value) : withReferences(value, renamed),
    ]),
  );
}
