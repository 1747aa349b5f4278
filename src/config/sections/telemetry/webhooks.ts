import { z } from "zod";
import { callUrl, headers } from "../http.ts";
import { milliseconds, path } from "../quantities.ts";
import { severities } from "./severities.ts";

/** Names are labels of metrics; those of the sinks that are built in are taken. */
const name = z.string().regex(/^(?!(?:alertmanager|log)$)[a-z][a-z0-9_]{0,63}$/, {
  message: "must be lower case letters, digits and underscores, and neither alertmanager nor log",
});

const webhook = z
  .strictObject({
    template: z
      .enum(["generic", "pagerduty", "slack"])
      .default("generic")
      .describe("Form of the body: contextd's own, PagerDuty's Events API v2, Slack's incoming webhooks."),
    url: callUrl("headers or bearer_token_file")
      .nullable()
      .default(null)
      .describe("Where notices go; null: url_file tells, or PagerDuty's own address holds.")
      .meta({ writeOnly: true }),
    url_file: path()
      .nullable()
      .default(null)
      .describe("File that holds the URL, where the URL is the secret (Slack); read again before each request."),
    severities: severities(),
    timeout_ms: milliseconds(10).default(10_000).describe("Time for one request, in ms."),
    headers: headers().describe("Headers that go with each request.").meta({ writeOnly: true }),
    bearer_token_file: path()
      .nullable()
      .default(null)
      .describe("File that holds a bearer token; read again before each request. null: none is sent."),
    routing_key_file: path()
      .nullable()
      .default(null)
      .describe("File that holds PagerDuty's routing key (integration key); read again before each request."),
  })
  .superRefine(({ template, url, url_file, routing_key_file }, context) => {
    const issue = (key: string, message: string) => context.addIssue({ code: "custom", path: [key], message });
    if (url !== null && url_file !== null) issue("url_file", "is given beside url: give one of them");
    if (template !== "pagerduty" && url === null && url_file === null) issue("url", "is missing: give url or url_file");
    if (template === "pagerduty" && routing_key_file === null)
      issue("routing_key_file", "is missing: PagerDuty needs it");
    if (template !== "pagerduty" && routing_key_file !== null)
      issue("routing_key_file", "is for the template pagerduty");
  });

/** Alerts posted to whoever takes them. */
export const webhooks = z
  .record(name, webhook)
  .default({})
  .describe("Webhooks that are told of alerts, by name.")
  .meta({ "x-restart": true });
