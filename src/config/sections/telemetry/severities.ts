import { z } from "zod";
import { SEVERITIES } from "../../../model/events.ts";

/** Which alerts a sink delivers. */
export const severities = () =>
  z
    .array(z.enum(SEVERITIES))
    .min(1)
    .default([...SEVERITIES])
    .describe("Severities that it delivers.");
