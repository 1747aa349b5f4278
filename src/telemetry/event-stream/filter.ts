import { ContextdError } from "../../model/errors.ts";
import type { EventType, PublishedEvent } from "../../model/events.ts";
import { EVENT_MEANINGS, isEventType } from "./meanings.ts";

/** In `types`: be told at each heartbeat where the stream is. */
export const POSITION_TYPE = "stream.position";

/** What a subscriber asks for in the query of `/events`. */
export interface EventQuery {
  /** Types as `zone.changed`, families as `block.*`, `*`, or `stream.position`; null: all event types. */
  readonly types: readonly string[] | null;
  readonly session: string | null;
  /** Last sequence seen; null begins with the next event. */
  readonly since: number | null;
}

/** What a subscriber may and wants to see. */
export interface Subscription extends EventQuery {
  /** The principal's tenant; null: all of them (scope admin). */
  readonly tenant: string | null;
}

/** Reads the query of `/events`. Throws `invalid_params` with `data.path` for a type or cursor that makes no sense. */
export function readEventQuery(query: URLSearchParams): EventQuery {
  const types = query.get("types");
  const since = query.get("since");
  return {
    types: types === null ? null : readTypes(types),
    session: query.get("session"),
    since: since === null ? null : readSince(since),
  };
}

function readTypes(text: string): readonly string[] {
  const types = text
    .split(",")
    .map((type) => type.trim())
    .filter((type) => type !== "");
  const legal = Object.keys(EVENT_MEANINGS);
  for (const type of types) {
    const prefix = type.endsWith("*") ? type.slice(0, -1) : null;
    const known = prefix === null ? isEventType(type) : legal.some((name) => name.startsWith(prefix));
    if (known || type === POSITION_TYPE) continue;
    throw new ContextdError("invalid_params", `types: there is no event of type "${type.slice(0, 60)}"`, {
      path: "types",
      legal: [...legal, POSITION_TYPE],
    });
  }
  return types;
}

function readSince(text: string): number {
  const since = Number(text);
  if (/^\d{1,16}$/.test(text) && Number.isSafeInteger(since)) return since;
  throw new ContextdError("invalid_params", "since: must be the sequence of the last event seen, a whole number", {
    path: "since",
  });
}

/** Whether an event is for a subscriber. Events of the daemon itself belong to no tenant: only an admin sees them. */
export function eventFilter(subscription: Subscription): (event: PublishedEvent) => boolean {
  const { tenant, types, session } = subscription;
  const exact = new Set(types ?? []);
  const prefixes = (types ?? []).filter((type) => type.endsWith("*")).map((type) => type.slice(0, -1));
  const wanted = (type: EventType): boolean =>
    types === null || exact.has(type) || prefixes.some((prefix) => type.startsWith(prefix));
  return (event) => {
    if (tenant !== null && (event.session === null || event.tenant !== tenant)) return false;
    if (session !== null && event.session !== session) return false;
    return wanted(event.type);
  };
}
