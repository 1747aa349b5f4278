import { z } from "zod";
import { severities } from "./severities.ts";

const plugged = z.strictObject({
  severities: severities(),
  options: z.record(z.string(), z.unknown()).default({}).describe("Options of the sink, checked by its own schema."),
});

/** Sinks of the user's own. */
export const alertSinks = z
  .record(z.string(), plugged)
  .default({})
  .describe("Sinks that a plug-in brings (its export `sinks`), by their name.")
  .meta({ "x-restart": true });
