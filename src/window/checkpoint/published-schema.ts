import { z } from "zod";
import type { JsonObject } from "../../model/json.ts";
import { checkpointSchema } from "./document.ts";

/** The document's shape as JSON Schema 2020-12, as it is published. */
export function checkpointJsonSchema(): JsonObject {
  const { $schema, ...shape } = z.toJSONSchema(checkpointSchema, {
    target: "draft-2020-12",
    io: "output",
    override({ jsonSchema }) {
      // The bounds of safe integers, which zod writes out at every integer, tell a reader nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { $schema, title: "contextd checkpoint", ...shape } as unknown as JsonObject;
}
