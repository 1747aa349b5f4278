import type { JsonObject } from "../../model/json.ts";

/** What stands around the data of every message: CloudEvents 1.0, and the attributes that we add to it. */
export const ENVELOPE: JsonObject = {
  type: "object",
  properties: {
    specversion: { const: "1.0" },
    id: { description: "unique within the source; of an event its sequence", type: "string", minLength: 1 },
    source: { description: "the daemon: /contextd/<instance>", type: "string", pattern: "^/contextd/.+$" },
    type: { type: "string", pattern: "^contextd\\.[a-z_]+\\.[a-z_]+\\.v1$" },
    subject: { description: "the session's id; absent from events of the daemon itself", type: "string" },
    time: { type: "string", format: "date-time" },
    datacontenttype: { const: "application/json" },
    sequence: { description: "rises with each event, also across restarts: the cursor", type: "integer", minimum: 0 },
    traceparent: {
      description: "W3C trace context of the call that caused the event; absent where it gave none",
      type: "string",
      pattern: "^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$",
    },
    tenant: { description: "whose session it is", type: "string" },
    agent: { description: "the session's agent", type: "string" },
    profile: { description: "the session's profile", type: "string" },
    model: { description: "the model that the agent calls", type: "string" },
    data: { type: "object" },
  },
  required: ["specversion", "id", "source", "type", "time", "datacontenttype", "sequence", "data"],
};

/** The query of the handshake. */
export const QUERY: JsonObject = {
  type: "object",
  properties: {
    types: {
      description: "comma-separated: a type as zone.changed, a family as block.*, or *; also stream.position",
      type: "string",
    },
    session: { description: "one session's id", type: "string" },
    since: { description: "the last sequence seen: what came after it is sent first", type: "integer", minimum: 0 },
  },
};
