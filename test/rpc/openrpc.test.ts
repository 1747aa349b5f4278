import { describe, expect, it } from "vitest";
import { ERRORS } from "../../src/model/errors.ts";
import { isJsonObject, type Json } from "../../src/model/json.ts";
import { renderRpcDocs } from "../../src/rpc/docs.ts";
import type { RpcMethod } from "../../src/rpc/method.ts";
import { rpcDiscover } from "../../src/rpc/methods/rpc-discover.ts";
import { openRpcDocument } from "../../src/rpc/openrpc.ts";
import { methodProbe, testMethods } from "../support/rpc-methods.ts";

const info = { title: "contextd", version: "1.2.3", description: "A test." };
const methods: RpcMethod[] = testMethods(methodProbe());
methods.push(rpcDiscover(() => methods, info));

// biome-ignore lint/suspicious/noExplicitAny: a JSON document is looked into.
const document = openRpcDocument(methods, info) as any;

/** Every `$ref` of a document. */
function references(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (!isJsonObject(node)) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === "$ref" && typeof value === "string" ? [value] : references(value),
  );
}

describe("the OpenRPC document", () => {
  it("lists every method with its params by name, the required ones first", () => {
    expect(document.openrpc).toMatch(/^1\.3\./);
    expect(document.info).toEqual(info);
    expect(document.methods.map((method: { name: string }) => method.name)).toEqual(methods.map(({ name }) => name));
    const write = document.methods.find((method: { name: string }) => method.name === "session.write");
    expect(write.paramStructure).toBe("by-name");
    expect(write.params[0]).toMatchObject({ name: "session_id", required: true, schema: { type: "string" } });
    expect(write.params.slice(1).every((param: { required: boolean }) => !param.required)).toBe(true);
    expect(write.result.schema).toMatchObject({ type: "object" });
    expect(write["x-scope"]).toBe("agent");
  });

  it("has no reference that leads nowhere", () => {
    const found = references(document);
    expect(found.some((reference) => reference.startsWith("#/components/schemas/echo"))).toBe(true);
    for (const reference of found) {
      const target = reference
        .slice(2)
        .split("/")
        .reduce((node, step) => node?.[step], document);
      expect(target, reference).toBeDefined();
    }
  });

  it("names every error of the catalogue", () => {
    expect(Object.keys(document.components.errors)).toEqual(Object.keys(ERRORS));
  });

  it("is what rpc.discover answers", async () => {
    const discover = methods.at(-1) as RpcMethod;
    expect(await discover.call({} as never, {})).toEqual(document);
  });
});

describe("the generated document of methods", () => {
  const text = renderRpcDocs(methods);

  it("has a section and a row of the index for each method", () => {
    for (const { name, summary } of methods) {
      expect(text).toContain(`## ${name}\n`);
      expect(text).toContain(summary);
      expect(text).toContain(`[\`${name}\`](#`);
    }
  });

  it("tells each member's kind and whether it is required", () => {
    expect(text).toContain("| `session_id` | string | yes |");
    expect(text).toContain('| `policy` | "fifo" \\| "lru" |  |');
    expect(text).toContain("| `tags` | array of string |  |");
  });
});
