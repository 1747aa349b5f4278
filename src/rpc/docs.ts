import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { branchesOf, jsonSchemaOf } from "./json-schema.ts";
import type { RpcMethod } from "./method.ts";

const PREAMBLE = `# RPC

<!-- Generated from the registry of methods: change those and regenerate. -->

JSON-RPC 2.0 over \`POST /rpc\` (\`content-type: application/json\`) and over WebSocket at \`/ws\`; both go through one
dispatcher and answer alike. Parameters are given by name. A batch holds 1 to 100 requests, its calls begin in order and
run side by side, and its replies come in the order of the requests. A notification (no \`id\`) gets no reply: HTTP
answers 204. Of duplicate keys the last one counts; members of the request object that JSON-RPC does not know are let
pass, unknown parameters are refused. Number ids must keep their value (integers up to 2^53 - 1). Text and binary
messages are the same on the WebSocket.

Where tokens are configured, a call carries \`Authorization: Bearer <token>\`; a page, which cannot set headers on a
WebSocket, offers the subprotocols \`contextd.v1\` and \`contextd.bearer.<token>\`, of which only the first is ever
agreed on. The tenant is the token's. A token of scope \`operator\` may call what is marked operator and whatever of the
agent's only reads; \`admin\` may call everything. A \`traceparent\` header is taken over into events.

A call of a mutating method takes \`idempotency_key\`: the same call with the same key takes effect once. Errors are
listed in [errors.md](errors.md).
`;

/** docs/rpc.md: each method with its scope, parameters and result. */
export function renderRpcDocs(methods: readonly RpcMethod[]): string {
  const index = methods.map((m) => `| [\`${m.name}\`](#${anchorOf(m.name)}) | ${m.scope} | ${cell(m.summary)} |`);
  const sections = methods.map(renderMethod);
  return `${[PREAMBLE, "| method | scope | |", "|---|---|---|", ...index].join("\n")}\n\n${sections.join("\n")}`;
}

function renderMethod(method: RpcMethod): string {
  const also = method.sharedWith?.length ? `, or ${method.sharedWith.join(", ")}` : "";
  return [
    `## ${method.name}`,
    "",
    method.summary,
    "",
    `Scope: ${method.scope}${also}. ${method.mutates ? "Changes state." : "Reads only."}`,
    "",
    "Parameters:",
    "",
    ...memberTable(jsonSchemaOf(method.params, "input")),
    "",
    "Result:",
    "",
    ...memberTable(jsonSchemaOf(method.result, "output")),
    "",
  ].join("\n");
}

/** A table of an object's members; one of alternatives gets a table each. */
function memberTable(schema: JsonObject): string[] {
  const objects = branchesOf(schema, schema).filter((node) => isJsonObject(node["properties"]));
  if (objects.length === 0) return [`${kindOf(schema, schema)}.`];
  return objects.flatMap((object, position) => {
    const required = Array.isArray(object["required"]) ? object["required"] : [];
    const rows = Object.entries(object["properties"] as JsonObject).map(([name, member]) => {
      const node = isJsonObject(member) ? member : {};
      const fallback = node["default"] === undefined ? "" : ` Default \`${JSON.stringify(node["default"])}\`.`;
      const text = typeof node["description"] === "string" ? node["description"] : "";
      const presence = required.includes(name) ? "yes" : "";
      return `| \`${name}\` | ${cell(kindOf(node, schema))} | ${presence} | ${cell(`${text}${fallback}`.trim())} |`;
    });
    if (rows.length === 0) return ["None."];
    return [...(position > 0 ? ["", "or", ""] : []), "| name | kind | required | |", "|---|---|---|---|", ...rows];
  });
}

/** The kind of a value in a few words: `string`, `"a" | "b"`, `array of object`. */
function kindOf(node: JsonObject, root: JsonObject): string {
  if (Array.isArray(node["enum"])) return node["enum"].map((value) => JSON.stringify(value)).join(" | ");
  if (node["const"] !== undefined) return JSON.stringify(node["const"]);
  const alternatives = node["anyOf"] ?? node["oneOf"];
  if (Array.isArray(alternatives)) return [...new Set(alternatives.map((branch) => nested(branch, root)))].join(" | ");
  if (typeof node["$ref"] === "string") return "JSON";
  const type = node["type"];
  if (type === "array") return `array of ${nested(node["items"], root)}`;
  if (Array.isArray(type)) return type.join(" | ");
  return typeof type === "string" ? type : "JSON";
}

function nested(node: Json | undefined, root: JsonObject): string {
  return isJsonObject(node) ? kindOf(node, root) : "JSON";
}

/** GitHub's anchor of a heading. */
function anchorOf(name: string): string {
  return name.toLowerCase().replace(/[^\w-]/g, "");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}
