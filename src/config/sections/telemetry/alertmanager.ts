import { z } from "zod";
import { baseUrl } from "../http.ts";
import { milliseconds, path } from "../quantities.ts";
import { severities } from "./severities.ts";

/** Direct push to Alertmanager. */
export const alertmanager = z
  .strictObject({
    urls: z
      .array(baseUrl("basic_auth"))
      .max(16)
      .default([])
      .describe("Alertmanagers, without /api/v2/alerts; each one is told of every alert.")
      .meta({ examples: [["http://localhost:9093"]] }),
    severities: severities(),
    timeout_ms: milliseconds(10).default(10_000).describe("Time for one request, in ms."),
    resolve_after_ms: milliseconds(100)
      .default(300_000)
      .describe(
        "After this time without word from the daemon an alert ends, in ms; it is sent again each third of it.",
      ),
    external_url: baseUrl("nothing")
      .nullable()
      .default(null)
      .describe("Where people reach this daemon: the `generatorURL` of alerts. null: none is sent."),
    basic_auth: z
      .strictObject({
        username: z
          .string()
          .min(1)
          .max(255)
          .regex(/^[^:\0]*$/, "must hold no colon")
          .describe("Name of the user."),
        password_file: path().describe("File that holds the password; read again before each request."),
      })
      .nullable()
      .default(null)
      .describe("Basic authentication; null: none."),
    bearer_token_file: path()
      .nullable()
      .default(null)
      .describe("File that holds a bearer token; read again before each request. null: none is sent."),
  })
  .superRefine(({ basic_auth, bearer_token_file }, context) => {
    if (basic_auth === null || bearer_token_file === null) return;
    context.addIssue({
      code: "custom",
      path: ["bearer_token_file"],
      message: "is given beside basic_auth: give one of them",
    });
  })
  .prefault({})
  .describe("Alerts pushed to Alertmanager (POST /api/v2/alerts).")
  .meta({ "x-restart": true });
