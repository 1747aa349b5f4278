import { z } from "zod";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";

/** JSON Schema (draft 7, which OpenRPC uses) of what a caller may send, or of what it gets. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: "draft-7", unrepresentable: "any" });
  return JSON.parse(JSON.stringify(rest), dropIntegerBounds) as JsonObject;
}

/** zod writes the bounds of safe integers out at every integer: they tell a reader nothing. */
function dropIntegerBounds(key: string, value: Json): Json | undefined {
  if (key === "maximum" && value === Number.MAX_SAFE_INTEGER) return undefined;
  if (key === "minimum" && value === Number.MIN_SAFE_INTEGER) return undefined;
  return value;
}

/** The schemas that a node stands for: itself, or the branches of a reference or union. */
export function branchesOf(node: Json | undefined, root: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  const seen = new Set<Json>();
  const queue: (Json | undefined)[] = [node];
  while (queue.length > 0) {
    const next = queue.shift();
    if (!isJsonObject(next) || seen.has(next)) continue;
    seen.add(next);
    found.push(next);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const branches = next[keyword];
      if (Array.isArray(branches)) queue.push(...branches);
    }
    const reference = next["$ref"];
    if (typeof reference === "string") queue.push(resolve(reference, root));
  }
  return found;
}

function resolve(reference: string, root: JsonObject): Json | undefined {
  if (reference === "#") return root;
  return reference
    .replace(/^#\//, "")
    .split("/")
    .reduce<Json | undefined>((node, step) => (isJsonObject(node) ? node[step] : undefined), root);
}

/** Names that the object at `path` may have, from every branch of the schema that has such an object. */
export function legalKeys(root: JsonObject, path: readonly PropertyKey[]): string[] {
  let nodes = branchesOf(root, root);
  for (const step of path) {
    nodes = nodes
      .map((node) => childSchema(node, step))
      .filter((child) => child !== undefined)
      .flatMap((child) => branchesOf(child, root));
  }
  const names = nodes.flatMap((node) => (isJsonObject(node["properties"]) ? Object.keys(node["properties"]) : []));
  return [...new Set(names)];
}

function childSchema(node: JsonObject, step: PropertyKey): Json | undefined {
  if (typeof step === "number") {
    const items = node["items"];
    return Array.isArray(items) ? items[step] : items;
  }
  const properties = node["properties"];
  if (isJsonObject(properties) && Object.hasOwn(properties, step)) return properties[String(step)];
  return node["additionalProperties"];
}
