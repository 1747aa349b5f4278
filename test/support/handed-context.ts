import type { RenderedContext } from "../../src/messages/index.ts";
import type { JsonObject } from "../../src/model/json.ts";

/** A context as it was handed to the agent, with the messages' ids. */
export interface HandedContext extends RenderedContext {
  readonly ids: readonly string[];
}

export interface PatchOperation {
  readonly op: "replace" | "remove" | "insert";
  readonly message_id: string;
  readonly after?: string | null;
  readonly message?: JsonObject;
}

/** What a client does with a patch. Throws where an operation names a message that it does not have. */
export function applyPatch(base: HandedContext, patch: readonly PatchOperation[]): HandedContext {
  const ids = [...base.ids];
  const messages = [...base.messages];
  const placeOf = (id: string): number => {
    const place = ids.indexOf(id);
    if (place < 0) throw new Error(`the patch names ${id}, which the base does not hold`);
    return place;
  };
  for (const { op, message_id: id, after, message } of patch) {
    if (op === "remove") {
      const place = placeOf(id);
      ids.splice(place, 1);
      messages.splice(place, 1);
    } else if (op === "replace") messages[placeOf(id)] = message as JsonObject;
    else {
      if (ids.includes(id)) throw new Error(`the patch inserts ${id}, which the base holds already`);
      const place = after === null || after === undefined ? 0 : placeOf(after) + 1;
      ids.splice(place, 0, id);
      messages.splice(place, 0, message as JsonObject);
    }
  }
  return { ...base, ids, messages };
}
