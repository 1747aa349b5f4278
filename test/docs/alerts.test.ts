import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { readYaml } from "../../src/config/index.ts";
import { postableAlert } from "../../src/telemetry/sinks/alertmanager.ts";
import { type AlertNotice, annotationsOf, labelsOf } from "../../src/telemetry/sinks/notice.ts";
import { genericBody } from "../../src/telemetry/sinks/templates/generic.ts";
import { TEMPLATES } from "../../src/telemetry/sinks/templates/index.ts";
import { configWith } from "../config/config-with.ts";

const text = readFileSync(new URL("../../docs/alerts.md", import.meta.url), "utf8");
const examples = new Map(
  [...text.matchAll(/^```json (\w+)\n([\s\S]*?)^```$/gm)].map(([, name, body]) => [
    name as string,
    JSON.parse(body as string),
  ]),
);

const session = { tenant: "default", session: "s1", agent: "code-fix", profile: "default-128k", model: "gpt-4o" };
const labels = labelsOf({ alert: "ContextOverflow", severity: "critical", ...session }, "host-1");
const notice: AlertNotice = {
  status: "firing",
  fingerprint: "0123456789abcdef0123456789abcdef",
  alert: "ContextOverflow",
  severity: "critical",
  labels,
  annotations: annotationsOf(labels, "3900 of 4000 tokens.", 7, {
    instance: "host-1",
    runbookBaseUrl: "https://runbooks.example/",
    dashboardBaseUrl: "https://grafana.example/d/contextd-alerts",
    pageBaseUrl: "https://contextd.example.org/",
  }),
  turn: 7,
  startsAt: Date.UTC(2026, 2, 1, 12),
  endsAt: null,
};
const resolved: AlertNotice = { ...notice, status: "resolved", endsAt: notice.startsAt + 60_000 };
const secrets = { routingKey: "R0UTINGKEY" };

describe("docs/alerts.md", () => {
  it("shows what Alertmanager is sent", () => {
    const until = notice.startsAt + 300_000;
    expect(examples.get("alertmanager")).toEqual([postableAlert(notice, until, "https://contextd.example.org")]);
  });

  it.each(Object.entries(TEMPLATES))("shows the body of the template %s", (name, template) => {
    expect(examples.get(name)).toEqual(template.body(notice, secrets));
  });

  it("shows settings that the config takes", () => {
    const yaml = [...text.matchAll(/^```yaml\n(telemetry:[\s\S]*?)^```$/gm)].map(
      ([, body]) => readYaml(body as string).value,
    );
    expect(yaml.length).toBe(2);
    for (const { telemetry } of yaml as { telemetry: Record<string, never> }[]) {
      for (const [key, value] of Object.entries(telemetry)) {
        expect(() => configWith({ [`telemetry.${key}`]: value })).not.toThrow();
      }
    }
  });
});

describe("the templates", () => {
  it("keep to the schema of contextd's own form", () => {
    for (const each of [notice, resolved])
      expect(genericBody.parse(TEMPLATES.generic.body(each, secrets))).toBeDefined();
  });

  it("resolve PagerDuty's incident by the same key, and nothing else", () => {
    expect(TEMPLATES.pagerduty.body(resolved, secrets)).toEqual({
      routing_key: "R0UTINGKEY",
      dedup_key: "contextd-0123456789abcdef0123456789abcdef",
      event_action: "resolve",
    });
  });

  it("give PagerDuty no link that leads nowhere, and no summary over its limit", () => {
    const annotations = {
      ...notice.annotations,
      runbook_url: "docs/r.md",
      page_url: "",
      description: "x".repeat(3_000),
    };
    const body = TEMPLATES.pagerduty.body({ ...notice, annotations }, secrets) as {
      links: unknown[];
      payload: { summary: string };
    };
    expect(body.links).toHaveLength(1);
    expect(body.payload.summary.length).toBe(1024);
  });

  it("let no name mention a channel in Slack, or make a link", () => {
    const hostile = { ...labels, session: "<!channel> <http://evil|click> &" };
    const annotations = { ...notice.annotations, summary: `ContextOverflow in session ${hostile.session}` };
    const body = JSON.stringify(TEMPLATES.slack.body({ ...notice, labels: hostile, annotations }, secrets));
    expect(body).not.toContain("<!channel>");
    expect(body).not.toContain("<http://evil");
    expect(body).toContain("&lt;!channel&gt;");
  });
});
