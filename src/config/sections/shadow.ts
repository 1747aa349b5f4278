import { z } from "zod";
import { count, share } from "./quantities.ts";

/** Names that the report and the metrics give to something else. */
const TAKEN = new Set(["live"]);
/** Each candidate costs what the session itself costs. */
const MOST_CANDIDATES = 8;

const names = () => z.array(z.string().min(1).max(256)).max(1000).nullable().default(null);

/** Candidate policies that run beside the live one for some sessions, changing nothing. */
export const shadow = z
  .strictObject({
    candidates: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores")
          .refine((name) => !TAKEN.has(name), "is the name of the session's own policy in the figures: choose another"),
        z.record(z.string(), z.json()),
      )
      .refine((candidates) => Object.keys(candidates).length <= MOST_CANDIDATES, {
        message: `holds more than ${MOST_CANDIDATES} candidates: each costs what the session itself costs`,
      })
      .default({})
      .describe("Named settings to try: any of the session keys, over those of the session."),
    sessions: z
      .strictObject({
        share: share()
          .default(1)
          .describe("Share of the new sessions that are watched, drawn by a hash of the session's id."),
        agents: names().describe("Only sessions of these agents; null: of any."),
        profiles: names().describe("Only sessions of these profiles; null: of any."),
      })
      .prefault({})
      .describe("Which sessions are watched, where there are candidates; `shadow.watch` adds others by hand."),
    max_sessions: count(1, 10_000)
      .default(50)
      .describe("Sessions watched at once; each holds its whole run in memory, and once more for each candidate."),
  })
  .prefault({})
  .describe("Candidate policies that run beside the live one for some sessions, changing nothing.");
