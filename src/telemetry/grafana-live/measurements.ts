import type { EventData, PublishedEvent } from "../../model/events.ts";
import { displayedText } from "./displayed-text.ts";
import { encodePoint, type Point } from "./line-protocol.ts";

export const MEASUREMENTS = ["zone_event", "eviction_event", "window"] as const;
/** What is pushed, each on a channel of its own: `stream/<stream>/<measurement>`. */
export type Measurement = (typeof MEASUREMENTS)[number];

/** Stands for a figure that there is none of: every line of a measurement has every field. */
const NO_FIGURE = -1;

/** The line that an event becomes; null: it is not of a measurement that is wanted. Never holds content. */
export function lineOf(event: PublishedEvent, wanted: ReadonlySet<Measurement>): string | null {
  const point = pointOf(event);
  return point !== null && wanted.has(point.measurement as Measurement) ? encodePoint(point) : null;
}

function pointOf(event: PublishedEvent): Point | null {
  switch (event.type) {
    case "zone.changed":
      return point(event, "zone_event", zoneFields(event.data));
    case "block.evicted":
      return point(event, "eviction_event", {
        ...eviction(event.data),
        block_type: event.data.block_type,
        tool: displayedText(event.data.tool_name ?? ""),
        policy: displayedText(event.data.policy),
        score: figure(event.data.score),
      });
    case "block.merged":
      return point(event, "eviction_event", {
        ...eviction({ ...event.data, method: "merge" }),
        policy: displayedText(event.data.policy),
        score: figure(event.data.score),
      });
    case "block.summarized":
      return point(event, "eviction_event", {
        ...eviction(event.data),
        block_type: event.data.block_type,
        tool: displayedText(event.data.tool_name ?? ""),
      });
    case "block.truncated": {
      const { tokens_before, tokens_after } = event.data;
      const tokens_freed = tokens_before - tokens_after;
      return point(event, "eviction_event", eviction({ ...event.data, tokens_freed, method: "truncate" }));
    }
    default:
      return null;
  }
}

function zoneFields(data: EventData["zone.changed"]): Point["fields"] {
  return {
    from: data.from,
    to: data.to,
    cause: data.cause,
    utilization: figure(data.utilization),
    tokens: figure(data.tokens),
    velocity: data.velocity ?? 0,
    turns_until_red: figure(data.turns_until_red),
  };
}

interface Edit {
  readonly pass_id: string | null;
  readonly block_id: string;
  readonly method: string;
  readonly rule: string;
  readonly tokens_before: number;
  readonly tokens_after: number;
  readonly tokens_freed: number;
  readonly turn?: number;
}

/** All fields of an eviction; kinds of edits that know more put it in their place. */
function eviction(edit: Edit): Record<string, string | number> {
  return {
    method: displayedText(edit.method),
    block_type: "",
    tool: "",
    policy: "",
    rule: displayedText(edit.rule),
    score: NO_FIGURE,
    tokens_before: figure(edit.tokens_before),
    tokens_after: figure(edit.tokens_after),
    tokens_freed: figure(edit.tokens_freed),
    turn: figure(edit.turn ?? null),
    pass_id: displayedText(edit.pass_id ?? ""),
    block_id: displayedText(edit.block_id),
  };
}

/** No tags: Grafana makes a series of every set of tags, and a table would fall apart into one a session. */
function point(event: PublishedEvent, measurement: Measurement, fields: Point["fields"]): Point {
  const { session, tenant, labels, at } = event;
  return {
    measurement,
    fields: {
      session_id: displayedText(session ?? ""),
      tenant: displayedText(tenant),
      agent: displayedText(labels?.agent ?? ""),
      profile: displayedText(labels?.profile ?? ""),
      model: displayedText(labels?.model ?? ""),
      ...fields,
    },
    at: Math.trunc(at),
  };
}

function figure(value: number | null): number {
  return value === null || !Number.isFinite(value) ? NO_FIGURE : value;
}
