import type { PublishedEvent } from "../../model/events.ts";
import type { JsonObject } from "../../model/json.ts";
import { publicData } from "./public-data.ts";

/** Version of the event shapes: rises when a key changes its meaning or goes. */
const SHAPE = "v1";

export const CONTROL_TYPES = {
  /** The cursor cannot be served: events were missed, so read the state anew. */
  resync: `contextd.stream.resync.${SHAPE}`,
  /** Where the stream is, at the start and at each heartbeat: a cursor for those who ask for it (`stream.position`). */
  position: `contextd.stream.position.${SHAPE}`,
} as const;

/** The CloudEvents type of an event of the core: `contextd.zone.changed.v1`. */
function wireType(type: string): string {
  return `contextd.${type}.${SHAPE}`;
}

/**
 * A committed event in its wire form: the CloudEvents 1.0 envelope in structured JSON mode, as one line of UTF-8.
 * `agent`, `profile`, `model` and `tenant` are extension attributes, so that a consumer needs no look-up.
 */
export function renderEvent(event: PublishedEvent, source: string): Buffer {
  const envelope: JsonObject = {
    specversion: "1.0",
    id: String(event.sequence),
    source,
    type: wireType(event.type),
    ...(event.session === null ? {} : { subject: event.session }),
    time: new Date(event.at).toISOString(),
    datacontenttype: "application/json",
    sequence: event.sequence,
    ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
    ...(event.session === null ? {} : { tenant: event.tenant }),
    ...(event.labels === null ? {} : { ...event.labels }),
    data: publicData(event.type, event.data),
  };
  return Buffer.from(JSON.stringify(envelope));
}

/** A message of the stream itself. Its sequence is the last one published, so it may be resumed from. */
export function renderControl(type: string, source: string, sequence: number, at: number, data: JsonObject): Buffer {
  const envelope: JsonObject = {
    specversion: "1.0",
    id: `${type}-${sequence}-${at}`,
    source,
    type,
    time: new Date(at).toISOString(),
    datacontenttype: "application/json",
    sequence,
    data,
  };
  return Buffer.from(JSON.stringify(envelope));
}
