import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../src/model/json.ts";
import { asyncApiDocument } from "../../../src/telemetry/async-api/document.ts";
import { renderEvent } from "../../../src/telemetry/event-stream/cloud-event.ts";
import { EVENT_MEANINGS } from "../../../src/telemetry/event-stream/meanings.ts";
import { asyncApiFindings } from "../../support/async-api-findings.ts";
import { published } from "../../support/published-event.ts";

const document = asyncApiDocument({ title: "contextd", version: "1.2.3" });
const at = (pointer: string): Json | undefined =>
  pointer
    .slice(2)
    .split("/")
    .reduce<Json | undefined>((node, key) => (isJsonObject(node) ? node[key] : undefined), document);

function references(node: Json): string[] {
  if (Array.isArray(node)) return node.flatMap(references);
  if (!isJsonObject(node)) return [];
  const own = typeof node["$ref"] === "string" ? [node["$ref"]] : [];
  return [...own, ...Object.values(node).flatMap(references)];
}

describe("the AsyncAPI document", () => {
  it("is of version 3.0 with the members that this version asks for, and no other", () => {
    expect(Object.keys(document).sort()).toEqual(
      ["asyncapi", "channels", "components", "defaultContentType", "info", "operations"].sort(),
    );
    expect(document["asyncapi"]).toBe("3.0.0");
    expect(document["info"]).toMatchObject({ title: "contextd", version: "1.2.3" });
    expect(at("#/channels/events")).toMatchObject({ address: "/events" });
    expect(at("#/operations/sendEvents")).toMatchObject({ action: "send", channel: { $ref: "#/channels/events" } });
  });

  it("points nowhere that is not there", () => {
    const broken = references(document).filter((pointer) => at(pointer) === undefined);
    expect(references(document).length).toBeGreaterThan(200);
    expect(broken).toEqual([]);
  });

  it("names all messages by what a component may be named", () => {
    const names = [...Object.keys(at("#/components/messages") ?? {}), ...Object.keys(at("#/components/schemas") ?? {})];
    expect(names.filter((name) => !/^[a-zA-Z0-9._-]+$/.test(name))).toEqual([]);
  });

  it("has a message for each event, with its meaning, and those of the stream itself", () => {
    const messages = at("#/components/messages") as Record<string, JsonObject>;
    const told = Object.fromEntries(Object.entries(messages).map(([name, { summary }]) => [name, summary]));
    expect(told).toEqual({
      ...EVENT_MEANINGS,
      "stream.resync": expect.any(String),
      "stream.position": expect.any(String),
    });
    const channel = at("#/channels/events/messages") as JsonObject;
    const operation = at("#/operations/sendEvents/messages") as JsonObject[];
    expect(Object.keys(channel)).toEqual(Object.keys(messages));
    expect(operation).toHaveLength(Object.keys(messages).length);
  });

  it("says nothing of keys that stay in the journal, and tells those that are on the stream only", () => {
    expect(Object.keys(at("#/components/schemas/note.written.data/properties") ?? {})).not.toContain("text");
    expect(Object.keys(at("#/components/schemas/session.opened.data/properties") ?? {})).not.toContain("task");
    expect(at("#/components/schemas/session.opened.data/properties/has_task")).toMatchObject({ type: "boolean" });
    expect(at("#/components/schemas/session.opened.data/required")).toContain("has_task");
  });

  it("explains every key", () => {
    const schemas = at("#/components/schemas") as Record<string, JsonObject>;
    const unexplained = Object.keys(EVENT_MEANINGS).flatMap((name) =>
      Object.entries((schemas[`${name}.data`]?.["properties"] ?? {}) as Record<string, JsonObject>)
        .filter(([, property]) => typeof property["description"] !== "string")
        .map(([key]) => `${name}.${key}`),
    );
    expect(unexplained).toEqual([]);
  });

  it("is made of schemas that are up to date with src/model/events.ts and docs/events.md", () => {
    const script = fileURLToPath(new URL("../../../scripts/generate-event-schemas.mjs", import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [script, "--print"], { encoding: "utf8" });
    expect(stderr).toBe("");
    const committed = readFileSync(
      new URL("../../../src/telemetry/async-api/event-data.json", import.meta.url),
      "utf8",
    );
    expect(JSON.parse(committed), "stale: node scripts/generate-event-schemas.mjs").toEqual(JSON.parse(stdout));
  }, 30_000);

  it("finds a message that is not as it says", () => {
    const event = published("alert.raised", { alert: "A", severity: "critical", summary: "s", turn: 1 });
    const message = JSON.parse(renderEvent(event, "/contextd/t").toString()) as JsonObject;
    expect(asyncApiFindings(document, message)).toEqual([]);
    const wrong = [
      { ...message, type: "contextd.alert.made_up.v1" },
      { ...message, data: { ...(message["data"] as JsonObject), severity: "loud" } },
      { ...message, data: { ...(message["data"] as JsonObject), more: 1 } },
      { ...message, data: { alert: "A" } },
      { ...message, traceparent: "mine" },
      { ...message, sequence: "1" },
    ];
    for (const each of wrong) expect(asyncApiFindings(document, each)).not.toEqual([]);
  });
});
