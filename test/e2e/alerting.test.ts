import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import type { ContextdClient } from "../../src/client/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { installed, MonitoringProcess } from "../support/debian-programs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ALERT = "ContextUtilizationCritical";
const SESSION = "fix-webhook-retry";

/** A notification as Alertmanager's webhooks send it. */
interface Notification {
  readonly status: "firing" | "resolved";
  readonly receiver: string;
  readonly alerts: readonly {
    readonly status: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** Takes the notifications; `next` waits for one, also one that has come before. */
class Webhook {
  readonly #server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on("end", () => {
      this.#taken.push(JSON.parse(body) as Notification);
      response.end();
      for (const look of [...this.#waiting]) look();
    });
  });
  readonly #taken: Notification[] = [];
  readonly #waiting = new Set<() => void>();

  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  next(what: string, wanted: (notification: Notification) => boolean, ms = 40_000): Promise<Notification> {
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        fail(new Error(`no ${what} within ${ms} ms, but ${JSON.stringify(this.#taken)}`));
      }, ms);
      const look = (): void => {
        const found = this.#taken.find(wanted);
        if (found === undefined) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        done(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

const of = (alert: string, status: string) => (notification: Notification) =>
  notification.alerts.some(({ labels, status: its }) => labels["alertname"] === alert && its === status);

/** Rewrites a file; a pattern that is not there would leave the shipped intervals in force, and is a mistake. */
function rewrite(file: string, changes: readonly (readonly [pattern: RegExp, replacement: string])[]): void {
  let text = readFileSync(file, "utf8");
  for (const [pattern, replacement] of changes) {
    if (!pattern.test(text)) throw new Error(`${file} has no ${pattern}`);
    text = text.replaceAll(pattern, replacement);
  }
  writeFileSync(file, text);
}

/** The shipped files with all intervals, and the rules' `for`, cut to about a second; nothing else is changed. */
function shippedConfig(folder: string, daemon: string): { prometheus: string; rules: string; alertmanager: string } {
  cpSync(join(ROOT, "config"), folder, { recursive: true });
  const prometheus = join(folder, "prometheus/prometheus.yml");
  rewrite(prometheus, [
    [/(scrape_interval|scrape_timeout|evaluation_interval): \d+s/g, "$1: 1s"],
    [/\[targets\//g, `[${join(folder, "prometheus/targets")}/`],
  ]);
  const rules = join(folder, "prometheus/rules/contextd.alerts.yml");
  rewrite(rules, [[/^( +)for: \S+$/gm, "$1for: 1s"]]);
  rewrite(join(folder, "prometheus/targets/contextd.yml"), [[/127\.0\.0\.1:7420/g, new URL(daemon).host]]);
  const alertmanager = join(folder, "alertmanager/alertmanager.yml");
  rewrite(alertmanager, [[/(group_wait|group_interval): \S+/g, "$1: 1s"]]);
  return { prometheus, rules, alertmanager };
}

/** A turn of the agent: a word from the user, and so many tokens of an answer ("word " is one). */
async function turn(client: ContextdClient, tokens: number): Promise<number> {
  const messages = [{ role: "user", content: "go on" }];
  const { reading } = (await client.mutate("on_turn_start", { session_id: SESSION, messages })) as {
    reading: { utilization: number };
  };
  const message = { role: "assistant", content: "word ".repeat(tokens) };
  await client.mutate("on_turn_end", { session_id: SESSION, message });
  return reading.utilization;
}

describe("the way of an alert", () => {
  it("goes from a session's hooks over Prometheus and Alertmanager to a webhook, and back when it is compacted", {
    timeout: 120_000,
  }, async () => {
    if (!installed("prometheus") || !installed("prometheus-alertmanager")) return;
    using folder = temporaryFolder();
    await using webhook = new Webhook();
    const url = await webhook.listen();
    await using daemon = await DaemonProcess.start({ data: join(folder.path, "data") });
    const config = shippedConfig(join(folder.path, "config"), daemon.url);
    rewrite(config.alertmanager, [[/http:\/\/127\.0\.0\.1:7420\/alerts\/sink/g, url]]);
    await using alertmanager = await MonitoringProcess.start("prometheus-alertmanager", [
      `--config.file=${config.alertmanager}`,
      `--storage.path=${join(folder.path, "alertmanager")}`,
      "--web.listen-address=127.0.0.1:0",
      "--cluster.listen-address=",
    ]);
    const targets = join(folder.path, "config/prometheus/targets/alertmanager.yml");
    rewrite(targets, [[/127\.0\.0\.1:9093/g, alertmanager.address]]);
    await using _prometheus = await MonitoringProcess.start("prometheus", [
      `--config.file=${config.prometheus}`,
      `--storage.tsdb.path=${join(folder.path, "prometheus")}`,
      "--web.listen-address=127.0.0.1:0",
      "--enable-feature=exemplar-storage",
      // What was sent before it had found Alertmanager is sent again.
      "--rules.alert.resend-delay=1s",
    ]);

    const { client } = daemon;
    const settings = { eviction: { policy: "none" } };
    await client.mutate("session.open", {
      session_id: SESSION,
      model: "gpt-4o",
      max_context_tokens: 8_192,
      settings,
    });
    while ((await turn(client, 400)) < 0.92);
    // It goes on working, a word a turn, until somebody is told.
    const told = webhook.next("firing alert", of(ALERT, "firing"));
    let waiting = true;
    const settled = told.finally(() => {
      waiting = false;
    });
    const working = (async () => {
      while (waiting) {
        await turn(client, 1);
        await Promise.race([settled.catch(() => {}), new Promise((done) => setTimeout(done, 500))]);
      }
    })();
    const firing = await settled;
    await working;

    expect(firing).toMatchObject({ status: "firing", receiver: "critical" });
    const alert = firing.alerts.find(({ labels }) => labels["alertname"] === ALERT);
    expect(alert?.labels).toMatchObject({
      severity: "critical",
      session_id: SESSION,
      profile: "default-128k",
      job: "contextd",
      instance: new URL(daemon.url).host,
    });
    expect(alert?.annotations["summary"]).toMatch(/^Session fix-webhook-retry has filled \d+\.?\d*% of its window$/);
    const runbook = /\/(docs\/runbooks\/\w+\.md)$/.exec(alert?.annotations["runbook_url"] ?? "")?.[1];
    expect(existsSync(join(ROOT, runbook ?? "")), runbook).toBe(true);
    expect(alert?.annotations["dashboard_url"]).toContain(`var-instance=${new URL(daemon.url).host}`);

    const watchdog = await webhook.next("watchdog", of("ContextdWatchdog", "firing"));
    expect(watchdog.receiver).toBe("watchdog");

    await client.mutate("session.configure", { session_id: SESSION, settings: { eviction: { policy: "hybrid" } } });
    expect(await turn(client, 1)).toBeLessThan(0.9);
    const resolved = await webhook.next("resolved alert", of(ALERT, "resolved"));
    expect(resolved).toMatchObject({ status: "resolved", receiver: "critical" });
    expect(resolved.alerts[0]?.labels).toMatchObject({ session_id: SESSION, severity: "critical" });
  });

  it("uses every rule file that is shipped", () => {
    const files = readdirSync(join(ROOT, "config/prometheus/rules"));
    expect(files.sort()).toEqual(["contextd.alerts.yml", "contextd.recording.yml"]);
  });
});
