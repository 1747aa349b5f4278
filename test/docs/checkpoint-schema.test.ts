import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/model/json.ts";
import { checkpointJsonSchema, readCheckpoint } from "../../src/window/checkpoint/index.ts";
import { schemaFindings } from "../support/json-schema-findings.ts";
import { documentOf, wireOf } from "../window/checkpoint/document-of.ts";

const published = JSON.parse(
  readFileSync(new URL("../../docs/checkpoint.schema.json", import.meta.url), "utf8"),
) as JsonObject;
const wire = (fields: object = {}) => ({ ...wireOf(documentOf()), ...fields }) as JsonObject;

describe("docs/checkpoint.schema.json", () => {
  it("is what the schema says", () => {
    const stale = "stale: npm run build && node scripts/generate-checkpoint-schema.mjs";
    expect(published, stale).toEqual(checkpointJsonSchema());
    expect(published["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
  });

  it("accepts documents as they are saved", () => {
    const documents = [
      documentOf(),
      documentOf({ next_step: null, summary: null, ledger: null, ttl_seconds: null, environment: {} }),
      documentOf({ ledger: "é".repeat(2_500_000) }),
      documentOf({ task: { goal: null, success_criteria: [], constraints: [] }, notes: [], subtasks: [] }),
    ];
    for (const document of documents) expect(schemaFindings(published, wireOf(document) as Json)).toEqual([]);
  });

  it.each<[string, object]>([
    ["format", { format: "contextd.checkpoint/2" }],
    ["window_number", { window_number: 1.5 }],
    ["state_version", { state_version: -1 }],
    ["reason", { reason: "bored" }],
    ["task", { task: { goal: null, success_criteria: [] } }],
    ["subtasks", { subtasks: [{ id: "t", title: "t", status: "finished" }] }],
    ["learnings", { learnings: [1] }],
    ["alternatives", { decisions: [{ decision: "", rationale: "", alternatives: Array(101).fill("x") }] }],
    ["environment", { environment: { ["k".repeat(600)]: 1 } }],
    ["summary", { summary: { text: "x", generation: 1, more: 1 } }],
    ["checksum", { checksum: "x" }],
    ["a key too many", { more: 1 }],
  ])("refuses what the daemon refuses: %s", (_, fields) => {
    expect(schemaFindings(published, wire(fields) as Json)).not.toEqual([]);
    expect(readCheckpoint(wire(fields))).toHaveProperty("malformed");
  });

  it("describes every field", () => {
    expect(Object.keys(published["properties"] as JsonObject).sort()).toEqual(
      [...Object.keys(wire()), "left_out"].sort(),
    );
  });
});
