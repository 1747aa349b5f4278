import type { JsonObject } from "../../model/json.ts";
import { CONTROL_TYPES } from "../event-stream/cloud-event.ts";

const sequence = (description: string): JsonObject => ({ description, type: "integer", minimum: 0 });

/** Messages of the stream itself, by name. */
export const CONTROL_MESSAGES: Readonly<
  Record<string, { readonly type: string; readonly meaning: string; readonly data: JsonObject }>
> = {
  "stream.resync": {
    type: CONTROL_TYPES.resync,
    meaning: "The cursor cannot be served: events were missed, so read the state anew.",
    data: {
      type: "object",
      properties: {
        reason: { enum: ["ahead", "too_old"] },
        requested_sequence: sequence("the cursor that was asked for"),
        oldest_sequence: sequence("the oldest cursor that can be served"),
        last_sequence: sequence("the last event published"),
      },
      required: ["reason", "requested_sequence", "oldest_sequence", "last_sequence"],
    },
  },
  "stream.position": {
    type: CONTROL_TYPES.position,
    meaning: "Where the stream is, at its start and at each heartbeat, for those who ask for it.",
    data: { type: "object" },
  },
};
