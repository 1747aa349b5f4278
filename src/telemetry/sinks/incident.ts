import { z } from "zod";
import { SEVERITIES } from "../../model/events.ts";

const text = z.string().max(8192);
const settled = z.enum(["firing", "resolved"]);

/** One alert from its raising to its end, and who has been told what of it: a line of the record. */
export const incidentSchema = z.strictObject({
  /** Tells the incidents of one fingerprint apart: the sequence of the event that raised it. */
  key: z.string().max(100),
  fingerprint: z.string().regex(/^[0-9a-f]{32}$/),
  alert: text,
  severity: z.enum(SEVERITIES),
  labels: z.record(z.string(), text),
  firing: z.strictObject({ at: z.number(), turn: z.number(), description: text }),
  /** null: it fires. */
  resolved: z.strictObject({ at: z.number(), turn: z.number(), description: text }).nullable(),
  /** By destination: the last that it was told, or that was given up for it. Absent: nothing yet. */
  settled: z.record(z.string(), settled),
});

type Read = z.output<typeof incidentSchema>;

export interface Incident extends Readonly<Omit<Read, "resolved" | "settled">> {
  resolved: Read["resolved"];
  settled: Read["settled"];
}

export type Status = z.output<typeof settled>;
