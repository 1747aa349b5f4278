import { z } from "zod";
import { severities } from "./severities.ts";

/** Alerts in the daemon's own log. */
export const alertLog = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Whether alerts are written to the log."),
    severities: severities(),
  })
  .prefault({})
  .describe("Alerts as lines of the daemon's own log.")
  .meta({ "x-restart": true });
