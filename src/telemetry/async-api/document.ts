import { readFileSync } from "node:fs";
import type { EventData, EventType } from "../../model/events.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { EVENT_MEANINGS } from "../event-stream/meanings.ts";
import { publicData } from "../event-stream/public-data.ts";
import { CONTROL_MESSAGES } from "./control-messages.ts";
import { ENVELOPE, QUERY } from "./envelope.ts";

/** Keys that the stream makes of journalled ones: no type tells their schemas. */
const STREAM_ONLY: Readonly<Record<string, JsonObject>> = {
  has_task: { description: "whether the agent stated a task", type: "boolean" },
  tool_name: { description: "the tool of the call; null: no part of one", type: ["null", "string"] },
  tool_call_id: { description: "id of the tool call; null: no part of one", type: ["null", "string"] },
};

interface ServiceInfo {
  readonly title: string;
  readonly version: string;
}

/**
 * The AsyncAPI 3.0 document of the event stream: what `/asyncapi.json` answers. Its messages are all types of events,
 * with their meanings, and the schemas of what the stream says of each: never of what stays in the journal.
 */
export function asyncApiDocument({ title, version }: ServiceInfo): JsonObject {
  const schemas: JsonObject = { envelope: ENVELOPE };
  const messages: JsonObject = {};
  for (const [name, { type, meaning, data }] of Object.entries(describedMessages())) {
    schemas[`${name}.data`] = data;
    messages[name] = {
      name: type,
      title: name,
      summary: meaning,
      contentType: "application/cloudevents+json",
      payload: {
        allOf: [
          { $ref: "#/components/schemas/envelope" },
          {
            type: "object",
            properties: { type: { const: type }, data: { $ref: `#/components/schemas/${name}.data` } },
          },
        ],
      },
    };
  }
  const names = Object.keys(messages);
  return {
    asyncapi: "3.0.0",
    info: {
      title,
      version,
      description:
        "Committed events of the daemon as CloudEvents 1.0 in JSON, one a message, over a WebSocket. " +
        "A consumer lets keys pass that it does not know.",
    },
    defaultContentType: "application/cloudevents+json",
    channels: {
      events: {
        address: "/events",
        title: "The event stream",
        description: "Filtered by the query of the handshake, resumable by `since`. Clients send nothing.",
        messages: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
        bindings: { ws: { method: "GET", query: QUERY, bindingVersion: "0.1.0" } },
      },
    },
    operations: {
      sendEvents: {
        action: "send",
        channel: { $ref: "#/channels/events" },
        summary: "The daemon tells subscribers what happened.",
        messages: names.map((name) => ({ $ref: `#/channels/events/messages/${name}` })),
      },
    },
    components: { messages, schemas },
  };
}

interface Described {
  /** The CloudEvents type. */
  readonly type: string;
  readonly meaning: string;
  readonly data: JsonObject;
}

function describedMessages(): Readonly<Record<string, Described>> {
  const journalled = JSON.parse(readFileSync(new URL("./event-data.json", import.meta.url), "utf8")) as JsonObject;
  const events = Object.entries(EVENT_MEANINGS).map(([name, meaning]) => {
    const schema = journalled[name];
    if (!isJsonObject(schema)) throw new Error(`event-data.json has no schema of ${name}`);
    return [name, { type: `contextd.${name}.v1`, meaning, data: streamed(name as EventType, schema) }];
  });
  return { ...Object.fromEntries(events), ...CONTROL_MESSAGES };
}

/** The schema of an event's data without what is not on the stream: asked of the projection itself. */
function streamed(name: EventType, schema: JsonObject): JsonObject {
  const properties = schema["properties"] as JsonObject;
  const nothing = Object.fromEntries(Object.keys(properties).map((key) => [key, null]));
  const keys = Object.keys(publicData(name, nothing as unknown as EventData[EventType]) as JsonObject);
  const required = new Set(schema["required"] as readonly string[] | undefined);
  const told = keys.map((key) => {
    const property = properties[key] ?? STREAM_ONLY[key];
    if (property === undefined) throw new Error(`${name}.${key} is on the stream only and has no schema`);
    return [key, property] as const;
  });
  const asked = keys.filter((key) => required.has(key) || !Object.hasOwn(properties, key));
  return {
    type: "object",
    properties: Object.fromEntries(told),
    ...(asked.length > 0 ? { required: asked } : {}),
  };
}
