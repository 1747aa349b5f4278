import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { installed, run } from "../support/debian-programs.ts";
import { CONFIG } from "../support/shipped-rules.ts";

const FOLDER = join(CONFIG, "alertmanager");
const FILES = ["alertmanager.yml", "alertmanager.paging.yml"];

interface Config {
  readonly templates: readonly string[];
  readonly route: { readonly receiver: string; readonly routes: readonly { receiver: string; matchers: string[] }[] };
  readonly inhibit_rules: readonly object[];
  readonly receivers: readonly Readonly<Record<string, unknown>>[];
}

const text = (file: string) => readFileSync(join(FOLDER, file), "utf8");
const read = (file: string) => parse(text(file)) as Config;

describe.each(FILES)("%s", (file) => {
  it("passes amtool's check, templates included", () => {
    if (!installed("amtool")) return;
    const { status, output } = run("amtool", ["check-config", file], FOLDER);
    expect(output).toContain("SUCCESS");
    expect(output).toContain("1 templates");
    expect(status, output).toBe(0);
  });

  it.each([
    ["watchdog", ["alertname=ContextdWatchdog", "severity=info"]],
    ["watchdog", ["alertname=ContextdWatchdog", "severity=critical"]],
    ["critical", ["alertname=ContextOverflow", "severity=critical"]],
    ["warning", ["alertname=RegretHigh", "severity=warning"]],
    ["contextd", ["alertname=AnythingElse", "severity=info"]],
    ["contextd", ["alertname=AnythingElse"]],
  ])("routes to %s what has %j", (receiver, labels) => {
    if (!installed("amtool")) return;
    const { output } = run("amtool", ["config", "routes", "test", `--config.file=${file}`, ...labels], FOLDER);
    expect(output.split("\n")[0]).toBe(receiver);
  });

  it("asks first for the alert that always fires", () => {
    expect(read(file).route.routes[0]).toMatchObject({
      receiver: "watchdog",
      matchers: ['alertname="ContextdWatchdog"'],
    });
  });

  it("holds no secret: they are in files", () => {
    expect(text(file)).not.toMatch(/^\s*(api_url|slack_api_url|routing_key|service_key|password|credentials): /m);
  });
});

describe("the receivers", () => {
  it("are the daemon alone where nothing is configured", () => {
    for (const { name, ...integrations } of read("alertmanager.yml").receivers) {
      const [webhook] = integrations["webhook_configs"] as { url: string }[];
      expect(Object.keys(integrations), String(name)).toEqual(["webhook_configs"]);
      expect(webhook?.url).toBe("http://127.0.0.1:7420/alerts/sink");
    }
  });

  it("are PagerDuty and Slack for critical alerts, and Slack for warnings, where people are paged", () => {
    const by = new Map(read("alertmanager.paging.yml").receivers.map((receiver) => [receiver["name"], receiver]));
    expect(by.get("critical")).toHaveProperty("pagerduty_configs");
    expect(by.get("critical")).toHaveProperty("slack_configs");
    expect(by.get("warning")).toHaveProperty("slack_configs");
    expect(by.get("warning")).not.toHaveProperty("pagerduty_configs");
  });

  it("are all that differs between the two files", () => {
    const [plain, paging] = FILES.map((file) => read(file)) as [Config, Config];
    expect(paging.route).toEqual(plain.route);
    expect(paging.inhibit_rules).toEqual(plain.inhibit_rules);
    expect(paging.templates).toEqual(plain.templates);
    expect(paging.receivers.map(({ name }) => name)).toEqual(plain.receivers.map(({ name }) => name));
  });
});

describe("a warning under a critical alert", () => {
  it("is inhibited for the same alert and instance", () => {
    expect(read("alertmanager.yml").inhibit_rules).toContainEqual({
      source_matchers: ['severity="critical"'],
      target_matchers: ['severity="warning"'],
      equal: ["alertname", "job", "instance"],
    });
  });
});

describe("contextd.tmpl", () => {
  it.each(["contextd.title", "contextd.text", "contextd.colour"])("renders %s", (name) => {
    if (!installed("amtool")) return;
    const args = [
      "template",
      "render",
      "--template.glob=templates/*.tmpl",
      `--template.text={{ template "${name}" . }}`,
    ];
    const { status, output } = run("amtool", args, FOLDER);
    expect(status, output).toBe(0);
    expect(output.trim()).not.toBe("");
    expect(output).not.toContain("no value");
  });
});
