import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/model/clock.ts";
import { openAlertSinks } from "../../src/telemetry/sinks/index.ts";
import { AlertReceiver } from "../support/alert-receiver.ts";
import { AlertmanagerProcess } from "../support/alertmanager-process.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { RecordingLog } from "../support/recording-log.ts";
import { storeFolder } from "../support/store-folder.ts";
import { prose, wire } from "../support/wire-messages.ts";
import { raised, resolved, settings } from "../telemetry/sinks/alert-events.ts";

function openAt(url: string, resolveAfterMs: number) {
  const alertmanager = { ...settings().alertmanager, urls: [url], resolve_after_ms: resolveAfterMs };
  return openAlertSinks(settings({ alertmanager: { ...alertmanager, external_url: "http://contextd.example" } }), {
    clock: systemClock,
    log: new RecordingLog(),
    readSecretFile: () => "",
    plugged: {},
    record: null,
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the payload of Alertmanager's webhook.
type Notification = any;

describe("Debian's Alertmanager", () => {
  it("takes alerts once however often they are sent, tells of them, and of their end", async () => {
    await using receiver = await AlertReceiver.start();
    await using manager = await AlertmanagerProcess.start(receiver.url);
    if (!manager) return;
    const sinks = openAt(manager.url, 3_000);
    await sinks.start([]);
    sinks.observe([raised("s1"), raised("s2"), raised("s2", "FidelityLow", "warning")]);
    // Sent again each second: ends by itself after three, were it not.
    await expect.poll(() => sinks.figures()[0]?.outcomes.ok ?? 0, { timeout: 30_000 }).toBeGreaterThanOrEqual(15);
    const listed = await manager.alerts();
    expect(
      listed.map(({ labels }) => `${labels["session"]} ${labels["alertname"]} ${labels["severity"]}`).sort(),
    ).toEqual(["s1 ContextOverflow critical", "s2 ContextOverflow critical", "s2 FidelityLow warning"]);
    expect(new Set(listed.map(({ fingerprint }) => fingerprint)).size).toBe(3);
    expect(listed[0]).toMatchObject({
      generatorURL: "http://contextd.example",
      annotations: { runbook_url: expect.stringMatching(/^https:\/\/runbooks\.example\/\w+\.md$/) },
    });
    expect(sinks.figures()[0]?.outcomes).toMatchObject({ refused: 0, given_up: 0 });

    sinks.observe([resolved("s1")]);
    const told = (status: string) =>
      receiver.received
        .flatMap(({ body }: Notification) => body.alerts as Notification[])
        .filter((alert) => alert.status === status)
        .map((alert) => `${alert.labels.session} ${alert.labels.alertname}`);
    await receiver.until(() => told("resolved").length > 0);
    expect(told("resolved")).toEqual(["s1 ContextOverflow"]);
    expect(told("firing").sort()).toEqual(["s1 ContextOverflow", "s2 ContextOverflow", "s2 FidelityLow"]);
    expect((await manager.alerts()).map(({ labels }) => labels["session"])).toEqual(["s2", "s2"]);
    await sinks.close();
  });

  it("hears of a session that a running daemon cannot help, and shows it on the daemon's own /alerts/sink", async () => {
    const data = storeFolder();
    let inbox = "";
    await using daemon: DaemonProcess = await DaemonProcess.start({ data });
    inbox = `${daemon.url}/alerts/sink`;
    await using manager = await AlertmanagerProcess.start(inbox);
    if (!manager) return;
    const env = { CONTEXTD_TELEMETRY__ALERTMANAGER__URLS: JSON.stringify([manager.url]) };
    await using watched: DaemonProcess = await DaemonProcess.start({ data: storeFolder(), env });
    const session_id = "crammed";
    const { client } = watched;
    await client.call("session.open", {
      session_id,
      model: "gpt-4o",
      max_context_tokens: 4_000,
      system: prose(3_700, "rule"),
    });
    await client.call("on_turn_start", { session_id, messages: [wire.openai.user("Mend the parser.")] });
    const shown = async () => {
      const { alerts } = (await (await fetch(inbox)).json()) as { alerts: Notification[] };
      return alerts.map((alert) => `${alert.status} ${alert.labels.alertname} ${alert.labels.session}`);
    };
    await expect.poll(shown, { timeout: 30_000 }).toEqual(["firing ContextFloorAboveRed crammed"]);
    await client.call("session.close", { session_id });
    await expect
      .poll(shown, { timeout: 30_000 })
      .toEqual(["resolved ContextFloorAboveRed crammed", "firing ContextFloorAboveRed crammed"]);
    const metrics = await (await fetch(`${watched.url}/metrics`)).text();
    expect(metrics).toMatch(/contextd_alert_deliveries_total\{sink="alertmanager",outcome="ok"\} [1-9]/);
    expect(metrics).toMatch(/contextd_alert_queue_length\{sink="alertmanager"\} 0/);
  });
});
