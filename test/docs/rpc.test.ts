import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { renderRpcDocs } from "../../src/rpc/docs.ts";
import { documentedMethods } from "../../src/rpc/methods/index.ts";

describe("docs/rpc.md", () => {
  test("is what the registry of methods says", () => {
    const page = readFileSync(new URL("../../docs/rpc.md", import.meta.url), "utf8");
    expect(page, "stale: npm run build && node scripts/generate-rpc-docs.mjs").toBe(renderRpcDocs(documentedMethods()));
  });

  test("describes every parameter that a caller may be unsure of", () => {
    for (const method of documentedMethods()) expect(method.summary, method.name).toMatch(/\.$|\?$/);
  });
});
