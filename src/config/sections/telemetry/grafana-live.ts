import { z } from "zod";
import { MEASUREMENTS } from "../../../telemetry/grafana-live/measurements.ts";
import { baseUrl } from "../http.ts";
import { count, milliseconds, path } from "../quantities.ts";

/** What is pushed to Grafana Live. */
export const grafanaLive = z
  .strictObject({
    url: baseUrl({ example: "http://grafana:3000", instead: "token_file, or username and password_file" })
      .nullable()
      .default(null)
      .describe("Grafana's address, with its path prefix if it has one; null: nothing is pushed.")
      .meta({ examples: ["http://grafana:3000"] }),
    stream: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, dashes or underscores")
      .default("contextd")
      .describe("Name of the stream: the channels are stream/<name>/<measurement>."),
    token_file: path()
      .nullable()
      .default(null)
      .describe("File that holds a service account's token; read again before each connection."),
    username: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^:\p{Cc}]+$/u, "must be a user's name, without a colon")
      .nullable()
      .default(null)
      .describe("User to push as, with password_file; where there is no token."),
    password_file: path().nullable().default(null).describe("File that holds the user's password."),
    buffer: count(16, 1_000_000)
      .default(4096)
      .describe("Lines kept while Grafana does not take them; then the oldest are dropped."),
    flush_ms: milliseconds(10)
      .default(250)
      .describe("Time for which lines are gathered into one push, in ms; Grafana shows a push at once."),
    measurements: z
      .array(z.enum(MEASUREMENTS))
      .min(1)
      .default([...MEASUREMENTS])
      .describe("What is pushed: zone changes, edits that took content out, and how full the open sessions are."),
  })
  .superRefine(({ token_file, username, password_file }, context) => {
    const issue = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (username !== null && password_file === null) issue("password_file", "is missing: username is given");
    if (username === null && password_file !== null) issue("username", "is missing: password_file is given");
    if (token_file !== null && username !== null) issue("token_file", "is given beside username: give one of them");
  })
  .prefault({})
  .describe("Events and figures pushed to Grafana Live, see docs/grafana-live.md.")
  .meta({ "x-restart": true });
